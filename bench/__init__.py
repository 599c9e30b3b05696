"""Timings that back the claims about speed; `make bench` prints them."""
