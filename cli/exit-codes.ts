/** Exit codes of the CLI. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unknownSigner: 3,
  gated: 4,
  unreachable: 5,
  denied: 6,
  notCompared: 7,
  interrupted: 130,
} as const

/** The exit codes as `--help` shows them. */
export const EXIT_CODE_HELP = `
Exit codes:
  0    done
  1    failed; for verify and verify-response: not valid
  2    wrong usage or wrong input
  3    verify, verify-response: intact, but the signer's key is not pinned
  4    the compile was gated: its K-score is below the floor
  5    the server cannot be reached
  6    the key is missing or refused
  7    verify --recompute: valid, but not everything could be recomputed
  130  interrupted`
