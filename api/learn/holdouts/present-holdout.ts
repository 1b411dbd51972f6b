import type { z } from 'zod'
import { ALPHA, isSpent, leastGain, nextLevel, type Attempts } from '../../../core/learn/gate/spending.ts'
import type { HoldoutView } from '../../../core/learn/wire/holdouts.ts'
import type { HoldoutFacts } from '../../../db/learn/holdouts/find-holdout.ts'

const RESIDENCY =
  'The rows lie in the database of this service, encrypted under a key of this holdout, which is encrypted under the master key of the service'

/** Returns a holdout as routes answer it. */
export function presentHoldout(corpus: HoldoutFacts, attempts: Attempts): z.input<typeof HoldoutView> {
  const { promotions, level } = nextLevel(ALPHA, attempts)
  const gain = leastGain(level)
  return {
    holdout_id: corpus.id,
    corpus_id: corpus.name,
    namespace: corpus.namespace ?? null,
    state: corpus.state === 'revealed' ? 'revealed' : 'sealed',
    row_count: corpus.rowCount,
    skipped: corpus.skipped,
    bytes: corpus.sizeBytes,
    corpus_sha256: corpus.root,
    normalized_hash: corpus.normalizedHash,
    tags: [...corpus.tags],
    metadata: corpus.metadata,
    stored_at: corpus.createdAt.toISOString(),
    revealed_at: corpus.revealedAt?.toISOString() ?? null,
    attempts: attempts.length,
    promotions,
    alpha: ALPHA,
    next_level: level,
    smallest_gain: gain > corpus.rowCount ? null : gain,
    exhausted: isSpent(level, corpus.rowCount),
    residency_note: RESIDENCY,
  }
}
