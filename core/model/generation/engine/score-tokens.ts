import type { PreparedAdapter } from '../../llama/inference/adapter-rows.ts'
import type { CachedModel } from '../../llama/inference/cached-model.ts'
import { cacheBytesPerToken } from '../../llama/inference/kv-cache.ts'
import { likeliestToken, logSumExp } from '../sampling.ts'
import type { EngineSettings } from './limits.ts'

/** Maximum number of tokens of one row per read. */
const CHUNK_TOKENS = 256
/** Maximum number of logits of one read. */
const LOGITS_PER_READ = 2 ** 22

/** The likelihood of a continuation of a prompt. */
export interface ContinuationScore {
  /** Natural logarithm of its probability after the prompt. */
  readonly logProb: number
  /** True when each token of it is the likeliest one, the first of equally likely ones. */
  readonly isGreedy: boolean
}

/** A prompt with the continuations that it is scored with. */
export interface ContinuationTask {
  readonly promptIds: readonly number[]
  /** Each has a token at least. */
  readonly continuations: readonly (readonly number[])[]
  readonly adapter: PreparedAdapter | null
}

/** The log-probability of each token after those before it, null for the first; in a row of the cache that leaves again. */
export async function scoreTokens(
  model: CachedModel,
  ids: readonly number[],
  adapter: PreparedAdapter | null,
): Promise<readonly (number | null)[]> {
  const { cache, config } = model
  const row = cache.lengths.length
  const piece = Math.max(16, Math.min(CHUNK_TOKENS, Math.floor(LOGITS_PER_READ / config.vocabSize)))
  const logProbs: (number | null)[] = [null]
  cache.addRow()
  try {
    for (let start = 0; start < ids.length; start += piece) {
      const part = ids.slice(start, start + piece)
      const logits = await model.read(row, [{ ids: part, adapter, logitsAt: [...part.keys()] }])
      for (const [index, values] of logits.entries()) {
        const next = ids[start + index + 1]
        if (next !== undefined) logProbs.push((values[next] ?? Number.NaN) - logSumExp(values))
      }
    }
  } finally {
    cache.removeRow(row)
  }
  return logProbs
}

/**
 * Scores continuations of one prompt. The prompt is read once: each continuation continues from a copy of its keys and values, and
 * one of a single token needs no further read.
 */
export async function scoreContinuations(
  model: CachedModel,
  settings: EngineSettings,
  { promptIds, continuations, adapter }: ContinuationTask,
): Promise<readonly ContinuationScore[]> {
  const { cache } = model
  const row = cache.lengths.length
  const sums = continuations.map(() => ({ logProb: 0, isGreedy: true }))
  const add = (place: number, token: number | undefined, logits: Float32Array | undefined): void => {
    const sum = sums[place]
    if (sum === undefined || token === undefined || logits === undefined) return
    sum.logProb += (logits[token] ?? Number.NaN) - logSumExp(logits)
    sum.isGreedy &&= likeliestToken(logits) === token
  }
  cache.addRow()
  try {
    const last = await readPrompt(model, row, promptIds, adapter)
    for (const [place, [first]] of continuations.entries()) add(place, first, last)
    const longer = [...continuations.keys()].filter((place) => (continuations[place]?.length ?? 0) > 1)
    for (const group of groupsOf(longer, promptIds.length, { model, settings, continuations })) {
      await readGroup(model, row, { group, continuations, adapter }, add)
    }
  } finally {
    while (cache.lengths.length > row) cache.removeRow(cache.lengths.length - 1)
  }
  return sums
}

/** Returns the logits after the prompt. They are copied: the next read reuses their memory. */
async function readPrompt(
  model: CachedModel,
  row: number,
  ids: readonly number[],
  adapter: PreparedAdapter | null,
): Promise<Float32Array | undefined> {
  for (let start = 0; ; start += CHUNK_TOKENS) {
    const part = ids.slice(start, start + CHUNK_TOKENS)
    const isLast = start + CHUNK_TOKENS >= ids.length
    const [logits] = await model.read(row, [{ ids: part, adapter, logitsAt: isLast ? [part.length - 1] : [] }])
    if (isLast) return logits?.slice()
  }
}

/** Continuations that are read at once, as far as rows and memory of the cache allow. */
function* groupsOf(
  places: readonly number[],
  promptTokens: number,
  {
    model,
    settings,
    continuations,
  }: {
    readonly model: CachedModel
    readonly settings: EngineSettings
    readonly continuations: readonly (readonly number[])[]
  },
): Generator<readonly number[]> {
  const longest = Math.max(0, ...places.map((place) => continuations[place]?.length ?? 0))
  const rowBytes = Math.max(model.cache.capacity, promptTokens + longest) * cacheBytesPerToken(model.config)
  const free = Math.floor(settings.cacheBytes / rowBytes) - model.cache.lengths.length
  const most = Math.max(1, Math.min(settings.maxBatch, free))
  for (let start = 0; start < places.length; start += most) yield places.slice(start, start + most)
}

/** Reads all tokens but the last of some continuations, each in a copy of the prompt's row. */
async function readGroup(
  model: CachedModel,
  row: number,
  {
    group,
    continuations,
    adapter,
  }: {
    readonly group: readonly number[]
    readonly continuations: readonly (readonly number[])[]
    readonly adapter: PreparedAdapter | null
  },
  add: (place: number, token: number | undefined, logits: Float32Array | undefined) => void,
): Promise<void> {
  const { cache, config } = model
  const first = cache.lengths.length
  for (let i = 0; i < group.length; i++) cache.copyRow(row)
  const perRow = Math.floor(LOGITS_PER_READ / config.vocabSize / group.length)
  const piece = Math.max(1, Math.min(CHUNK_TOKENS, perRow))
  const texts = group.map((place) => continuations[place] ?? [])
  const longest = Math.max(...texts.map(({ length }) => length)) - 1
  for (let start = 0; start < longest; start += piece) {
    const parts = texts.map((ids) => ids.slice(start, Math.min(start + piece, ids.length - 1)))
    const logits = await model.read(
      first,
      parts.map((ids) => ({ ids, adapter, logitsAt: [...ids.keys()] })),
    )
    let at = 0
    for (const [index, part] of parts.entries()) {
      for (let i = 0; i < part.length; i++) add(group[index] ?? 0, texts[index]?.[start + i + 1], logits[at++])
    }
  }
  for (let i = 0; i < group.length; i++) cache.removeRow(cache.lengths.length - 1)
}
