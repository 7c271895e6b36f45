"""A learner for one seat: masked PPO on `SeatGame` in plain Python, see docs/learning.md.

    python -m chaosops.adapters.learning train sre --out learned.json
    python -m chaosops.adapters.learning compare learned.json

Nothing else imports it, and it needs nothing beside ChaosOps. Its policies are linear, and most of
the time goes into the simulator, so a library for neural networks would make it no faster.
"""
