/** A notable fact of an account. */
export interface AccountSignal {
  readonly kind:
    | 'compile_first'
    | 'compile_stale'
    | 'route_first'
    | 'seed_training'
    | 'namespace_almost_ready'
    | 'namespace_ready'
    | 'rotate_key'
  /** The recommended reaction. */
  readonly severity: 'compile' | 'route' | 'routine' | 'rotate'
  readonly value: number
  readonly namespace?: string
}

/** The figures that signals are drawn from. */
export interface AccountFigures {
  readonly artifacts: number
  readonly captures: number
  readonly namespaces: Readonly<Record<string, number>>
  readonly lastArtifactAgeDays: number | null
  readonly keyAgeDays: number | null
  /** Age in days from which the tenant is reminded to rotate its key. */
  readonly keyRotationDays: number
}

const STALE_DAYS = 3
const TRAINING_CAPTURES = 1000
const ALMOST_CAPTURES = 100

/** Returns the signals in a fixed order: the whole account, its namespaces by name, its key. */
export function signalsOf(figures: AccountFigures): readonly AccountSignal[] {
  const { artifacts, captures, lastArtifactAgeDays, keyAgeDays, keyRotationDays } = figures
  const signals: AccountSignal[] = []
  if (artifacts === 0) signals.push({ kind: 'compile_first', severity: 'compile', value: 0 })
  else if (lastArtifactAgeDays !== null && lastArtifactAgeDays >= STALE_DAYS) {
    signals.push({ kind: 'compile_stale', severity: 'compile', value: lastArtifactAgeDays })
  }
  if (captures === 0) signals.push({ kind: 'route_first', severity: 'route', value: 0 })
  if (captures >= TRAINING_CAPTURES) signals.push({ kind: 'seed_training', severity: 'compile', value: captures })
  for (const [namespace, count] of Object.entries(figures.namespaces).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (count >= TRAINING_CAPTURES) {
      signals.push({ kind: 'namespace_ready', severity: 'compile', value: count, namespace })
    } else if (count >= ALMOST_CAPTURES) {
      signals.push({ kind: 'namespace_almost_ready', severity: 'routine', value: count, namespace })
    }
  }
  if (keyAgeDays !== null && keyAgeDays >= keyRotationDays) {
    signals.push({ kind: 'rotate_key', severity: 'rotate', value: keyAgeDays })
  }
  return signals
}
