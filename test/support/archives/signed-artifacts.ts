import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvalRow } from '../../../core/compile/archive/evals.ts'
import type { RecipeSource } from '../../../core/compile/archive/members/content.ts'
import type { TrainingMembers } from '../../../core/compile/archive/seal.ts'
import { countParameters } from '../../../core/model/config/weight-names.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import type { MacKey } from '../../../core/kernel/json/mac.ts'
import type { SigningKey } from '../../../core/ledger/keys/signing-key.ts'
import type { BuildReceipt } from '../../../core/ledger/receipts/build-receipt.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { finishReady } from '../../../db/compile/jobs/finish/finish-ready.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenJob, readyInput } from '../db/given.ts'
import { evalsOf, sealFixture, UPPER_PROGRAM } from './archives.ts'

/** A signed artifact of the tenant that holds a program, without the compile that would have made it. */
export async function givenProgramArtifact(op: Operation): Promise<string> {
  return (await givenProgramVersion(op)).jobId
}

/** The same with its concept and version; signed by a key that the service trusts, it can be run. */
export async function givenProgramVersion(op: Operation, signer?: SigningKey): Promise<GivenVersion> {
  const recipe = { kind: 'program', recipe: UPPER_PROGRAM } as const
  return await givenVersion(op, { recipe, training: null, ...(signer !== undefined && { signer }) })
}

/**
 * A signed artifact of the tenant that holds the adapter of a golden folder, fitted on the base in it under the name
 * `baseName`.
 */
export async function givenAdapterArtifact(op: Operation, golden: string, baseName: string): Promise<string> {
  const { model } = await openBaseModel(golden)
  return await givenArtifact(op, {
    recipe: {
      kind: 'lora',
      recipe: {
        spec: 'svc-lora-1',
        base: {
          name: baseName,
          weights_hash: model.weightsHash,
          architecture: model.config.architecture,
          parameters: countParameters(model.config),
        },
        prompt: { template: 'plain', instruction: null },
        output: 'text',
        constraint: null,
        max_new_tokens: 16,
        stop: [],
        abstain_below: null,
      },
      adapter: {
        config: await readFile(join(golden, 'adapter', 'adapter_config.json')),
        weights: await readFile(join(golden, 'adapter', 'adapter_model.safetensors')),
      },
    },
    training: { document: { trainer: 'embedded' }, curve: '<svg/>' },
  })
}

async function givenArtifact(op: Operation, given: GivenArtifact): Promise<string> {
  return (await givenVersion(op, given)).jobId
}

/** The content and the signer of an artifact of a test. */
export interface GivenArtifact {
  readonly recipe: RecipeSource
  readonly training: TrainingMembers | null
  /** A key of the test's own when absent, which no service trusts. */
  readonly signer?: SigningKey
  /** A receipt secret of the test's own when absent, which no service knows. */
  readonly macKey?: MacKey
  readonly task?: string
  /** The held-out rows; those of the upper-case task when absent. */
  readonly rows?: readonly EvalRow[]
}

/** The published artifact. */
export interface GivenVersion {
  readonly jobId: string
  readonly conceptId: string
  readonly versionId: string
  readonly receipt: BuildReceipt
}

/** A signed artifact with the concept and the version that it was published as. */
export async function givenVersion(
  op: Operation,
  { recipe, training, signer, macKey, task, rows }: GivenArtifact,
): Promise<GivenVersion> {
  const limits = { ...DEFAULT_LIMITS, running_jobs_free: 100 }
  const { job } = await givenJob(op, { limits, ...(task !== undefined && { task }) })
  const sealed = await sealFixture({
    facts: { jobId: job.id, training, ...(task !== undefined && { task }) },
    input: { recipe, ...(rows !== undefined && { evals: evalsOf(rows) }) },
    ...(signer !== undefined && { signer }),
    ...(macKey !== undefined && { macKey }),
  })
  const input = await readyInput(op.db, job.id)
  const { sha256, sizeBytes } = await putBlob(op.db, sealed.archive)
  const { job: finished } = await finishReady(op, {
    ...input,
    ...(rows !== undefined && { trainInputs: rows.map((row) => row.input) }),
    artifact: {
      ...input.artifact,
      archiveSha256: sha256,
      sizeBytes,
      manifest: JSON.parse(JSON.stringify(sealed.manifest)),
      receipt: JSON.parse(JSON.stringify(sealed.receipt)),
      recipeKind: recipe.kind,
      baseModel: recipe.kind === 'lora' ? recipe.recipe.base.name : 'none',
    },
  })
  const { conceptId, versionId } = finished
  return { jobId: job.id, conceptId: conceptId ?? '', versionId: versionId ?? '', receipt: sealed.receipt }
}
