import type { DistilOptions, ModelChoice } from '../../../../core/compile/stages/lora/fit/distil-options.ts'
import type { OpenedAdapter, OpenedDistil } from '../../../../core/compile/stages/lora/fit/prepare-distil.ts'
import { loadArchive } from '../../../../core/compile/runtime/load-archive.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { readAdapter } from '../../../../core/model/files/adapter-files.ts'
import { readBaseConfig } from '../../../../core/model/files/inspect-base.ts'
import { readArchive } from '../../../../db/compile/artifacts/read-archive.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import type { JobRef } from '../results.ts'

/** A base on this machine. */
export interface FoundBase {
  readonly name: string
  readonly directory: string
  readonly weightsHash: Sha256
}

/**
 * Opens student and teacher of a distillation. Throws `base_mismatch` for an adapter of other weights, `artifact_deleted` for
 * one that was deleted since the request, `artifact_revoked`, `artifact_expired`, `invalid_archive`, and what `findBase` throws.
 */
export async function openDistil(
  deps: CompileDeps,
  ref: JobRef,
  options: DistilOptions,
  base: FoundBase,
  findBase: (name: string) => Promise<FoundBase>,
): Promise<OpenedDistil> {
  const { student, teacher } = options
  const teacherBase = teacher.base === base.name ? base : await findBase(teacher.base)
  return {
    options,
    start: await openAdapter(deps, ref, student, base),
    teacher: { base: teacherBase, adapter: await openAdapter(deps, ref, teacher, teacherBase) },
  }
}

async function readAdapterArchive(deps: CompileDeps, ref: JobRef, artifactId: string): Promise<Uint8Array> {
  try {
    return await readArchive(operationOf(deps, ref), artifactId)
  } catch (error) {
    if (!KERNEL_ERRORS.not_found.matches(error)) throw error
    throw COMPILE_ERRORS.artifact_deleted(`the artifact ${artifactId}, which the fit needs, was deleted meanwhile`, {
      cause: error,
    })
  }
}

async function openAdapter(
  deps: CompileDeps,
  ref: JobRef,
  { artifact_id: artifactId }: ModelChoice,
  base: FoundBase,
): Promise<OpenedAdapter | null> {
  if (artifactId === null) return null
  const { recipe } = await loadArchive(await readAdapterArchive(deps, ref, artifactId))
  if (recipe.kind !== 'lora') throw MODEL_ERRORS.teacher_logits_required(`the artifact ${artifactId} is no adapter`)
  if (recipe.recipe.base.weights_hash !== base.weightsHash) {
    throw MODEL_ERRORS.base_mismatch(`${base.name} has different weights here from those of the artifact ${artifactId}`)
  }
  const { files } = recipe
  const { config } = readAdapter(files, await readBaseConfig(base.directory))
  const bytes = (name: string): Buffer => Buffer.from(files.get(name) ?? new Uint8Array())
  return {
    config,
    prompt: recipe.recipe.prompt,
    files: {
      config: bytes('adapter_config.json').toString('utf8'),
      weights: bytes('adapter_model.safetensors').toString('base64'),
    },
  }
}
