"""Signals: Fourier transforms, frames and spectra.

fourier           Discrete Fourier transforms, of complex and of real signals, in any number of
                  dimensions
window_functions  Window functions: what a frame of a signal is multiplied with
spectral          Signals in frames, short-time spectra, cosine transforms, mel scales
"""
