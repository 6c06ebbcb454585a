// The objective of examples/adbench/gaussian_mixture.py and its gradient, derived by hand.
// The inner loops go over what is contiguous; nothing is computed twice.

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

// log(sum(exp(x))), and the shares exp(x) / sum(exp(x)) in place of x.
double log_sum_exp(std::vector<double>& x) {
    const double top = *std::max_element(x.begin(), x.end());
    double total = 0;
    for (double& v : x) total += v = std::exp(v - top);
    for (double& v : x) v /= total;
    return top + std::log(total);
}

}  // namespace

extern "C" double mixture(int d, int k, int n, const double* alphas, const double* means,
                          const double* factors, const double* x, double gamma, int m,
                          double constant, double* d_alphas, double* d_means, double* d_factors) {
    const int below = d * (d - 1) / 2, width = d + below;
    std::vector<double> diagonal(k * d), logdet(k), centered(k * d), turned(k * d), share(k),
        slope(d);
    double value = -0.5 * n * d * std::log(2 * M_PI) - k * constant;

    std::fill(d_alphas, d_alphas + k, 0.0);
    std::fill(d_means, d_means + k * d, 0.0);
    std::fill(d_factors, d_factors + k * width, 0.0);
    for (int c = 0; c < k; ++c) {
        const double* factor = factors + c * width;
        for (int i = 0; i < d; ++i) {
            logdet[c] += factor[i];
            diagonal[c * d + i] = std::exp(factor[i]);
        }
    }
    for (int p = 0; p < n; ++p) {
        for (int c = 0; c < k; ++c) {
            const double *factor = factors + c * width + d, *mean = means + c * d;
            double *z = &centered[c * d], *y = &turned[c * d], square = 0;
            for (int i = 0; i < d; ++i) {
                z[i] = x[p * d + i] - mean[i];
                y[i] = diagonal[c * d + i] * z[i];
            }
            for (int j = 0; j < d; ++j)
                for (int i = j + 1; i < d; ++i) y[i] += *factor++ * z[j];
            for (int i = 0; i < d; ++i) square += y[i] * y[i];
            share[c] = alphas[c] + logdet[c] - 0.5 * square;
        }
        value += log_sum_exp(share);
        for (int c = 0; c < k; ++c) {
            const double *factor = factors + c * width + d, *z = &centered[c * d];
            double *d_factor = d_factors + c * width, *d_below = d_factor + d;
            d_alphas[c] += share[c];
            for (int i = 0; i < d; ++i) {
                slope[i] = -share[c] * turned[c * d + i];
                d_factor[i] += share[c] + slope[i] * z[i] * diagonal[c * d + i];
            }
            for (int j = 0; j < d; ++j) {
                double back = slope[j] * diagonal[c * d + j];
                for (int i = j + 1; i < d; ++i) {
                    *d_below++ += slope[i] * z[j];
                    back += *factor++ * slope[i];
                }
                d_means[c * d + j] -= back;
            }
        }
    }
    share.assign(alphas, alphas + k);
    value -= n * log_sum_exp(share);
    for (int c = 0; c < k; ++c) {
        const double* factor = factors + c * width;
        double* d_factor = d_factors + c * width;
        d_alphas[c] -= n * share[c];
        for (int i = 0; i < d; ++i) {
            const double q = diagonal[c * d + i];
            value += 0.5 * gamma * gamma * q * q - m * factor[i];
            d_factor[i] += gamma * gamma * q * q - m;
        }
        for (int i = d; i < width; ++i) {
            value += 0.5 * gamma * gamma * factor[i] * factor[i];
            d_factor[i] += gamma * gamma * factor[i];
        }
    }
    return value;
}
