import type { Random } from '../random.ts'
import type { GenerationOptions } from './options.ts'

/** A token that was chosen, and its log-probability at temperature 1 among the candidates. */
export interface Choice {
  readonly token: number
  readonly logProb: number
}

/**
 * Chooses among the candidates (all tokens when null) by their logits. Order of the filters: temperature, then top-k,
 * then top-p (Holtzman et al. 2020) over the remaining ones. Ties go to the lowest token. Requires at least one
 * candidate.
 */
export function chooseToken(
  logits: Float32Array,
  candidates: Int32Array | null,
  options: Pick<GenerationOptions, 'temperature' | 'topK' | 'topP'>,
  random: Random,
): Choice {
  const best = candidates === null ? likeliestToken(logits) : likeliestOf(logits, candidates)
  const peak = logitOf(logits, best)
  const logSum = peak + Math.log(candidates === null ? sumAll(logits, peak) : sumOf(logits, candidates, peak))
  const isGreedy = options.temperature === 0 || candidates?.length === 1
  const token = isGreedy ? best : drawToken(logits, candidates, peak, options, random)
  return { token, logProb: logitOf(logits, token) - logSum }
}

// Plain loops for the whole vocabulary: this runs for every token of every answer.

/** Returns the likeliest token, the first of equally likely ones. */
export function likeliestToken(logits: Float32Array): number {
  let best = 0
  let peak = -Infinity
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? 0
    if (logit > peak) {
      peak = logit
      best = token
    }
  }
  return best
}

/** Σ e^(logit − peak); a logit that is not a number adds 0. */
function sumAll(logits: Float32Array, peak: number): number {
  let sum = 0
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? 0
    if (!Number.isNaN(logit)) sum += Math.exp(logit - peak)
  }
  return sum
}

function likeliestOf(logits: Float32Array, candidates: Int32Array): number {
  let best = candidates[0] ?? 0
  for (const token of candidates) {
    const lead = logitOf(logits, token) - logitOf(logits, best)
    if (lead > 0 || (lead === 0 && token < best)) best = token
  }
  return best
}

function sumOf(logits: Float32Array, candidates: Int32Array, peak: number): number {
  let sum = 0
  for (const token of candidates) sum += Math.exp(logitOf(logits, token) - peak)
  return sum
}

/** ln Σ e^logit, computed without overflow. */
export function logSumExp(logits: Float32Array): number {
  const peak = logits[likeliestToken(logits)] ?? 0
  return peak + Math.log(sumAll(logits, peak))
}

/** A logit that is not a number counts as impossible. */
function logitOf(logits: Float32Array, token: number): number {
  const logit = logits[token] ?? -Infinity
  return Number.isNaN(logit) ? -Infinity : logit
}

function drawToken(
  logits: Float32Array,
  candidates: Int32Array | null,
  peak: number,
  { temperature, topK, topP }: Pick<GenerationOptions, 'temperature' | 'topK' | 'topP'>,
  random: Random,
): number {
  const all = candidates ?? Int32Array.from(logits.keys())
  const weightOf = (token: number): number => Math.exp((logitOf(logits, token) - peak) / temperature)
  const isFiltered = (topK > 0 && topK < all.length) || topP < 1
  const kept = isFiltered ? likeliest(logits, all, weightOf, topK, topP) : all
  let total = 0
  for (const token of kept) total += weightOf(token)
  let point = random.float() * total
  for (const token of kept) {
    point -= weightOf(token)
    if (point < 0) return token
  }
  // Rounding can leave a little of the total: it belongs to the last token that is possible at all.
  return kept.findLast((token) => weightOf(token) > 0) ?? kept[0] ?? 0
}

/** The likeliest tokens that pass top-k, then top-p; at least one. */
function likeliest(
  logits: Float32Array,
  tokens: Int32Array,
  weightOf: (token: number) => number,
  topK: number,
  topP: number,
): Int32Array {
  const considered = topK > 0 ? tokens : withoutTail(tokens, weightOf, topP)
  const sorted = considered.toSorted((a, b) => logitOf(logits, b) - logitOf(logits, a) || a - b)
  const top = topK > 0 ? sorted.subarray(0, topK) : sorted
  if (topP >= 1) return top
  const total = sumWeights(topK > 0 ? top : tokens, weightOf)
  let sum = 0
  const last = top.findIndex((token) => (sum += weightOf(token)) >= topP * total)
  return top.subarray(0, last < 0 ? top.length : last + 1)
}

/**
 * Drops tokens too unlikely for top-p, so that few are left to sort: all tokens below half of (1 − p) / n of the total
 * weigh less than 1 − p of it together.
 */
function withoutTail(tokens: Int32Array, weightOf: (token: number) => number, topP: number): Int32Array {
  const least = (0.5 * (1 - topP) * sumWeights(tokens, weightOf)) / tokens.length
  return tokens.filter((token) => weightOf(token) >= least)
}

function sumWeights(tokens: Int32Array, weightOf: (token: number) => number): number {
  let total = 0
  for (const token of tokens) total += weightOf(token)
  return total
}
