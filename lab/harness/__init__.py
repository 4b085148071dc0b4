"""What lab/run.py is made of."""
