"""Signals: Fourier transforms, frames and spectra.

fourier           Discrete Fourier transforms, of complex and of real signals, in any number of
                  dimensions
window_functions  Window functions, by which frames of a signal are multiplied
spectral          Framing, short-time Fourier and cosine transforms, the mel scale
"""
