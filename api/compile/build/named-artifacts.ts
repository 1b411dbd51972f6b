import { GivenArtifactId } from '../../../core/kernel/wire/ids.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { findRunnableArtifact } from '../../../db/compile/artifacts/read-archive.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** Facts of a plan that can name an artifact. */
export interface NamedArtifacts {
  readonly existing_artifact?: string | undefined
  /** The name of a base, or an artifact with an adapter. */
  readonly base_model?: string | undefined
}

/**
 * Checks that the artifacts that facts name are the tenant's. Throws `not_found` with the field, also for another tenant's artifact and a
 * deleted one, and what `openArchive` throws.
 * @param at the object of the facts in the request, with its point; empty for the request itself
 */
export async function requireNamedArtifacts(
  op: Operation,
  { existing_artifact: existing, base_model: base }: NamedArtifacts,
  at: '' | 'profile.' = '',
): Promise<void> {
  if (existing !== undefined) await requireArtifact(op, `${at}existing_artifact`, existing)
  if (base !== undefined && GivenArtifactId.safeParse(base).success) await requireArtifact(op, `${at}base_model`, base)
}

/** Checks the artifacts of a request for advice: a foreign id is refused in any field, also in facts that a profile replaces. */
export async function requireArtifactsOfAdvice(
  op: Operation,
  { profile, ...facts }: NamedArtifacts & { readonly profile?: NamedArtifacts | undefined },
): Promise<void> {
  await requireNamedArtifacts(op, facts)
  if (profile !== undefined) await requireNamedArtifacts(op, profile, 'profile.')
}

async function requireArtifact(op: Operation, field: string, id: string): Promise<void> {
  try {
    await findRunnableArtifact(op, id)
  } catch (error) {
    if (!KERNEL_ERRORS.not_found.matches(error)) throw error
    throw invalidField(field, 'names no artifact, or one that was deleted', KERNEL_ERRORS.not_found, error)
  }
}
