"""Monitored sessions of tf.compat.v1.train: training loops with hooks.

hooks        what hooks are: objects that a session tells of each of its runs
periodic     hooks that stop, log, count, save and summarize every so many steps
scaffold     what is needed to begin: initializers, a saver, summaries
sessions     MonitoredSession and MonitoredTrainingSession
"""
