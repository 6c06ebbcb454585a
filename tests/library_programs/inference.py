"""Samplers, optimizers, solvers and joint distributions of TensorFlow Probability."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
import tf_keras

tfd, tfb = tfp.distributions, tfp.bijectors
START = [5.0, -3.0]


def bowl(x: Any) -> Any:
    return -0.5 * tf.reduce_sum(x**2)


def valley(x: Any) -> Any:
    return tfp.math.value_and_gradient(
        lambda v: tf.reduce_sum((v - tf.constant([1.0, 2.0])) ** 4 + v**2), x
    )


def hamiltonian() -> Any:
    kernel = tfp.mcmc.HamiltonianMonteCarlo(bowl, step_size=0.3, num_leapfrog_steps=3)

    @tf.function
    def run() -> Any:
        return tfp.mcmc.sample_chain(
            200, num_burnin_steps=50, current_state=tf.zeros(2), kernel=kernel,
            trace_fn=lambda _, r: r.is_accepted, seed=[3, 4],
        )  # fmt: skip

    states, accepted = run()
    return (
        tf.reduce_mean(states, 0),
        tf.math.reduce_std(states, 0),
        tf.reduce_sum(tf.cast(accepted, tf.int32)),
    )


def turning() -> Any:
    kernel = tfp.mcmc.NoUTurnSampler(bowl, step_size=0.5)

    @tf.function
    def run() -> Any:
        return tfp.mcmc.sample_chain(
            50, current_state=tf.zeros(2), kernel=kernel, trace_fn=None, seed=[3, 4]
        )

    return run()[-1]


def walking() -> Any:
    kernel = tfp.mcmc.RandomWalkMetropolis(bowl)
    return tfp.mcmc.sample_chain(
        20, current_state=tf.zeros(2), kernel=kernel, trace_fn=None, seed=[3, 4]
    )[-1]


def variational() -> Any:
    loc = tf.Variable([0.0, 0.0])
    scale = tfp.util.TransformedVariable([1.0, 1.0], tfb.Softplus())
    surrogate = tfd.Independent(tfd.Normal(loc, scale), 1)
    target = tfd.Independent(tfd.Normal([1.0, 2.0], [0.5, 1.0]), 1)
    losses = tfp.vi.fit_surrogate_posterior(
        target.log_prob, surrogate, tf_keras.optimizers.Adam(0.1), num_steps=60, seed=[1, 2]
    )
    return losses[-3:], loc, tf.convert_to_tensor(scale)


def minimized() -> Any:
    v = tf.Variable(0.0)
    losses = tfp.math.minimize(lambda: (v - 1.0) ** 2, 30, tf_keras.optimizers.Adam(0.1))
    return losses[-2:], v


def coroutine() -> Any:
    @tfd.JointDistributionCoroutineAutoBatched
    def model() -> Any:
        z = yield tfd.Normal(0.0, 1.0, name="z")
        yield tfd.Normal(z * tf.ones(3), 1.0, name="x")

    drawn = model.sample(seed=[1, 2])
    return model.log_prob(z=0.3, x=[0.1, 0.2, 0.3]), drawn.z, drawn.x


def of_a_function() -> Any:
    normal = tfd.Normal(1.0, 2.0)
    return [tf.function(lambda d: d.loc)(normal), tf.function(lambda d: d.log_prob(0.0))(normal)]


def deferred() -> Any:
    v = tf.Variable(0.5)
    made = tfp.util.DeferredTensor(v, tf.exp)
    return made + 1.0, len(tfd.Normal(v, 1.0).trainable_variables)


def structural() -> Any:
    series = np.arange(10.0, dtype=np.float32)
    model = tfp.sts.LocalLinearTrend(observed_time_series=series)
    space = model.make_state_space_model(10, {"level_scale": 0.1, "slope_scale": 0.2})
    return space.log_prob(series[:, None])


def regression() -> Any:
    x = np.random.RandomState(0).randn(50, 2).astype(np.float32)
    y = (np.random.RandomState(1).rand(50) > 0.5).astype(np.float32)
    return tfp.glm.fit(x, y, tfp.glm.Bernoulli())[0]


PROGRAMS = {
    "hamiltonian": hamiltonian,
    "no u-turn": turning,
    "random walk": walking,
    "bfgs": lambda: tfp.optimizer.bfgs_minimize(valley, tf.constant(START)).position,
    "lbfgs": lambda: tfp.optimizer.lbfgs_minimize(valley, tf.constant(START)).position,
    "nelder mead": lambda: tfp.optimizer.nelder_mead_minimize(
        lambda x: tf.reduce_sum((x - tf.constant([1.0, 2.0])) ** 2), initial_vertex=tf.constant(START)
    ).position,
    "dormand prince": lambda: tfp.math.ode.DormandPrince().solve(
        lambda t, y: -y, 0.0, tf.constant([1.0, 2.0]), solution_times=[0.5, 1.0]
    ).states,
    "bdf": lambda: tfp.math.ode.BDF().solve(
        lambda t, y: -y, 0.0, tf.constant([1.0, 2.0]), solution_times=[0.5, 1.0]
    ).states,
    "variational": variational,
    "minimize": minimized,
    "joint": lambda: tfd.JointDistributionSequential(
        [tfd.Normal(0.0, 1.0), lambda z: tfd.Normal(z, 1.0)]
    ).log_prob([0.3, 0.4]),
    "joint named": lambda: tfd.JointDistributionNamed(
        {"z": tfd.Normal(0.0, 1.0), "x": lambda z: tfd.Normal(z, 1.0)}
    ).log_prob({"z": 0.3, "x": 0.4}),
    "coroutine": coroutine,
    "structural": structural,
    "percentile": lambda: tfp.stats.percentile(np.arange(10.0), 30.0),
    "regression": regression,
    "special": lambda: [
        tfp.math.lbeta(2.0, 3.0), tfp.math.betainc(2.0, 3.0, 0.4), tfp.math.igammainv(2.0, 0.3),
        tfp.math.bessel_ive(1.0, 2.0), tfp.math.owens_t(0.3, 0.4), tfp.math.lambertw(1.0),
    ],
    "scan": lambda: tfp.math.scan_associative(lambda a, b: a + b, np.arange(7.0)),
    "of a function": of_a_function,
    "deferred": deferred,
    "triangular": lambda: tfp.math.fill_triangular([1.0, 2.0, 3.0]),
    "secant": lambda: tfp.math.find_root_secant(
        lambda x: x**3 - 2.0, tf.constant(1.0)
    ).estimated_root,
    "chandrupatla": lambda: tfp.math.find_root_chandrupatla(
        lambda x: x**3 - 2.0, 0.0, 2.0
    ).estimated_root,
    "diagonal": lambda: tfp.math.diag_jacobian(xs=tf.constant([1.0, 2.0]), fn=lambda x: x**3)[1],
    "interpolation": lambda: tfp.math.interp_regular_1d_grid([0.5, 1.5], 0.0, 2.0, [0.0, 1.0, 4.0]),
}  # fmt: skip
