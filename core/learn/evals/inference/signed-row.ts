import type { KeyObject } from 'node:crypto'
import { canonicalJson, hashJson, type JsonObject } from '../../../kernel/json/json.ts'
import { signText, verifyText, type SigningKey } from '../../../ledger/keys/signing-key.ts'
import { countCalls, NO_DRAFTS, type InferenceRequest } from './inference.ts'
import type { LevelFigures, TimeFigures } from './measure.ts'

/** The machine that measured, as its process sees it. */
export interface Hardware {
  readonly cpuModel: string
  readonly cpus: number
  readonly memoryBytes: number
  readonly platform: string
  readonly arch: string
  readonly node: string
}

/** The facts of a measurement: subject, place and time. */
export interface InferenceFacts {
  readonly measurementId: string
  readonly request: InferenceRequest
  readonly levels: readonly LevelFigures[]
  readonly hardware: Hardware
  readonly runtimeVersion: string
  readonly ranAt: Date
}

/** Name of the form of a row. */
export const INFERENCE_SCHEMA = 'svc-inference-matrix/1'

/** Makes the row of a measurement and signs it: Ed25519 over its RFC 8785 form without `signature`. */
export function signInferenceRow(facts: InferenceFacts, key: SigningKey): JsonObject {
  const { request, hardware } = facts
  const { target } = request
  const calls = countCalls(request)
  const body: JsonObject = {
    schema: INFERENCE_SCHEMA,
    measurement_id: facts.measurementId,
    ran_at: facts.ranAt.toISOString(),
    dry_run: false,
    model: request.model,
    target:
      target.kind === 'artifact'
        ? { kind: 'artifact', artifact_id: target.artifactId, cid: target.cid, base: null }
        : { kind: 'base', artifact_id: null, cid: null, base: target.base },
    hardware: {
      cpu_model: hardware.cpuModel,
      cpus: hardware.cpus,
      memory_bytes: hardware.memoryBytes,
      platform: hardware.platform,
      arch: hardware.arch,
    },
    runtime: { name: 'svc', version: facts.runtimeVersion, node: hardware.node },
    config: {
      prompts: request.prompts.length,
      prompts_sha256: hashJson([...request.prompts]),
      repeats: request.repeats,
      warm_up_calls: calls.warmUp,
      max_tokens: request.maxTokens,
      concurrency: [...request.concurrency],
      clock: 'monotonic',
      percentile: 'nearest_rank',
    },
    speculative: {
      requested: request.speculative,
      mode: 'off',
      draft_model: null,
      supported: false,
      reason: NO_DRAFTS,
    },
    arms: { baseline: facts.levels.map(presentLevel), speculative: null },
    deltas: { throughput_speedup: null, latency_speedup: null },
    // What runs here has no price in the table.
    cost_per_1k_tokens_usd: null,
    kid: key.kid,
  }
  return { ...body, signature: signText(canonicalJson(body), key.privateKey) }
}

/** Returns true for a row whose signature is that of the key over all its other members. */
export function isSignedRow({ signature, ...body }: JsonObject, publicKey: KeyObject): boolean {
  return typeof signature === 'string' && verifyText(canonicalJson(body), signature, publicKey)
}

function presentLevel(level: LevelFigures): JsonObject {
  return {
    concurrency: level.concurrency,
    n_calls: level.calls,
    ok_calls: level.ok,
    err_calls: level.errors,
    errors: { ...level.errorCodes },
    wall_ms: rounded(level.wallMs),
    latency_ms: presentTimes(level.latencyMs),
    ttft_ms: presentTimes(level.firstTokenMs),
    tokens_in: level.tokensIn,
    tokens_out: level.tokensOut,
    tokens_per_sec: level.tokensPerSecond === null ? null : rounded(level.tokensPerSecond),
    calls_per_sec: rounded(level.callsPerSecond),
  }
}

function presentTimes(times: TimeFigures | null): JsonObject | null {
  return times === null ? null : { mean: rounded(times.mean), p50: rounded(times.p50), p95: rounded(times.p95) }
}

/** To the microsecond, which the clock has. */
function rounded(value: number): number {
  return Number(value.toFixed(3))
}
