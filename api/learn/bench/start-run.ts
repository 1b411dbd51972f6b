import { invalidField } from '../../../core/kernel/errors.ts'
import type { Benchmark } from '../../../core/learn/evals/bench/benchmarks.ts'
import type { BenchChoices } from '../../../core/learn/evals/bench/runs/bench-input.ts'
import type { BenchDefinition, PackRef } from '../../../core/learn/evals/bench/runs/bench-definition.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { TargetSpec } from '../../../core/learn/evals/evaluation.ts'
import { defaultNamespace, requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { findPack, newestPack } from '../../../db/learn/bench/find-pack.ts'
import { createEvaluation } from '../../../db/learn/evals/create-evaluation.ts'
import { requireRoom } from '../evals/evals.ts'
import { requireAnswerable, resolveTarget } from '../evals/resolve-target.ts'
import type { LearnServices } from '../services.ts'
import { readInstalled } from '../../../core/learn/evals/bench/packs/installed-packs.ts'

/** Members that the bodies of all benchmarks share. */
interface RunBody {
  readonly confirm?: boolean | undefined
  readonly artifact_id?: string | undefined
  readonly base?: string | undefined
  readonly adapter_id?: string | undefined
  readonly model?: string | undefined
  readonly pack_id?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/** A call that starts a run. */
export interface RunCall {
  readonly op: Operation
  readonly principal: Principal
  readonly services: LearnServices
  readonly endOfCall: () => AbortSignal
}

/** Codes of a route that starts a run. */
export const RUN_ERRORS = [
  'not_found',
  'confirm_required',
  'bench_pack_not_installed',
  'bench_pack_invalid',
  'bench_pack_empty',
  'bench_pack_link_rejected',
  'bench_pack_too_large',
  'invalid_eval_task',
  'invalid_eval_row',
  'eval_needs_likelihoods',
  'too_many_evaluations',
  'compute_exhausted',
  'limit_reached',
  'unknown_base_model',
  'unknown_model',
  'provider_disabled',
  'no_provider_key',
  'artifact_revoked',
  'invalid_archive',
  'busy',
  'storage_full',
] as const

/** Throws `confirm_required` without the caller's word. */
export function requireConfirm({ confirm }: RunBody): void {
  if (confirm !== true) {
    throw LEARN_ERRORS.confirm_required('confirm: must be true; a run asks the target for every question of the pack', {
      details: { fields: [{ field: 'confirm', message: 'must be true' }] },
    })
  }
}

/**
 * Starts a run: an evaluation of the questions of a pack. Returns its id. Throws the codes of `RUN_ERRORS`, `not_found` for a pack or
 * an artifact, and `validation_failed` for a target that is none or two.
 */
export async function startRun(
  call: RunCall,
  body: RunBody,
  run: {
    readonly benchmark: Benchmark
    readonly choicesFor: (target: TargetSpec) => BenchChoices
    readonly sandboxTimeoutMs?: number
    /** Throws when this service cannot run the benchmark; asked once target and pack are known. */
    readonly requireAble?: () => Promise<void> | void
    /** The model that judges; null where the benchmark has none. */
    readonly judge?: string | undefined
  },
): Promise<string> {
  const { op, services, endOfCall } = call
  const { limits } = services
  const { benchmark, choicesFor, sandboxTimeoutMs = null } = run
  const namespace = body.namespace ?? defaultNamespace(op)
  requireNamespace(op, namespace)
  const target = await resolveTarget(call, targetOf(body), namespace)
  const choices = choicesFor(target)
  const { pack, lines } = await openPack(call, { benchmark, namespace, id: body.pack_id })
  await run.requireAble?.()
  const judge = run.judge === undefined ? null : await resolveTarget(call, { model: run.judge }, namespace)
  const prepared = await services.evals.prepareBench(op.tenantId, { benchmark, lines, choices }, endOfCall())
  requireAnswerable(target, prepared.set)
  requireRoom(prepared, { ...limits, evaluation_rows: limits.bench_rows })
  const bench: BenchDefinition = {
    benchmark,
    pack,
    sandboxTimeoutMs,
    judge: judge?.kind === 'model' ? judge : null,
  }
  const { fewShots, limit, seed } = choices
  const definition = { target, set: prepared.set, seed, fewShots, limit, sliceBy: null, clusterBy: null, bench }
  const name = body.name ?? benchmark
  return await createEvaluation(op, { namespace, name, definition, rows: prepared.rows, limits })
}

function targetOf({ artifact_id: artifactId, base, adapter_id: adapterId, model }: RunBody) {
  if (artifactId !== undefined) return { artifact_id: artifactId }
  if (model !== undefined) return { model }
  return { base: base ?? '', ...(adapterId !== undefined && { adapter_id: adapterId }) }
}

/** Returns the chosen pack, else the newest of the namespace, else the installed one. Throws `bench_pack_not_installed`. */
async function openPack(
  { op, services, endOfCall }: RunCall,
  {
    benchmark,
    namespace,
    id,
  }: { readonly benchmark: Benchmark; readonly namespace: string; readonly id: string | undefined },
): Promise<{ readonly pack: PackRef; readonly lines: Uint8Array }> {
  const { limits, settings } = services
  const own = id === undefined ? await newestPack(op, benchmark, namespace) : await findPack(op, id)
  if (own !== null) {
    if (own.benchmark !== benchmark) throw invalidField('pack_id', `is a pack of ${own.benchmark}`)
    const pack = { id: own.id, name: own.name, fileSha256: own.fileSha256, questions: own.questions }
    return { pack, lines: await getBlob(op.db, own.blob, own.sizeBytes) }
  }
  const installed = await readInstalled(settings.benchPacksDir, benchmark, limits.bench_pack_bytes)
  if (installed === null) {
    throw LEARN_ERRORS.bench_pack_not_installed(
      `there is no pack of ${benchmark}: upload its official file by POST /v1/bench/packs?benchmark=${benchmark}, or ask the operator to install it`,
    )
  }
  const { bytes, file } = installed
  const given = { benchmark, bytes, maxBytes: limits.bench_pack_inflated_bytes }
  const { lines, fileSha256, questions } = await services.evals.readPack(op.tenantId, given, endOfCall())
  return { pack: { id: null, name: file, fileSha256, questions }, lines }
}
