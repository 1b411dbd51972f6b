import { DomainError } from '../../core/kernel/errors.ts'
import { embeddedTrainer, readAnnouncement, type Trainer } from '../../core/learn/plans/doctor/trainers.ts'
import { listFitters } from '../../temporal/trainer.ts'
import type { LearnServices } from './services.ts'

/** Returns the trainers that listen now; null when Temporal cannot be asked. */
export async function findTrainers({
  temporal,
  now,
}: Pick<LearnServices, 'temporal' | 'now'>): Promise<readonly Trainer[] | null> {
  try {
    const { embedded, external } = await listFitters(temporal, now())
    return [...embedded.map(embeddedTrainer), ...external.map(readAnnouncement)]
  } catch (error) {
    if (error instanceof DomainError && error.code === 'workflow_engine_unavailable') return null
    throw error
  }
}
