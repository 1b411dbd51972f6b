#!/bin/sh
# The trainer's own tests, on the CPU: codec, documents, and fits on the small models of test/model/golden.
# About a minute on two cores. PYTHON names the interpreter of the environment that requirements.lock was installed into.
set -eu
cd "$(dirname "$0")"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
exec "${PYTHON:-python3}" -W ignore -m unittest discover -t . -s tests "$@"
