"""Measurements that stand behind the claims in the documentation; run from the repository root."""
