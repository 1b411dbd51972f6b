import { type GraphBuilder, staticDim } from '../builder.ts'
import type { Value } from '../value.ts'
import { add, div, exp, log, max, mul, neg, sub } from './elementwise.ts'
import { gatherColumns, scatterColumns } from './indexing.ts'
import { concat, expand, split } from './layout.ts'
import { matmul } from './products.ts'
import { logSoftmax, reduceSum } from './reductions.ts'

/** A teacher's distribution at each row. */
export type TeacherValues =
  /** Logits of the whole vocabulary, [rows, vocabulary]; log-probabilities will do. */
  | { readonly form: 'logits'; readonly logits: Value }
  /**
   * Its k likeliest tokens, int64 [rows, k], and their log-probabilities [rows, k + 1], whose last column is that of
   * all other tokens together.
   */
  | { readonly form: 'top'; readonly ids: Value; readonly logProbs: Value }

/** The divergence of a student from its teacher. */
export interface DivergenceSettings {
  /** 0 is the forward Kullback-Leibler divergence, 1 the reverse one; between them the mixture counts. */
  readonly beta: number
  /** Divides the logits of both; 1 for the form `top`. */
  readonly temperature: number
}

/** Probabilities below this count as this in a logarithm. */
const SMALLEST_PROBABILITY = 1e-37
/** A logarithm of a probability that leaves nothing in a sum. */
const IMPOSSIBLE = -1e9

/**
 * Computes −D of each row: the generalized Jensen-Shannon divergence (Agarwal et al., "On-Policy Distillation of
 * Language Models", 2024, equation 1) of the student softmax(h·Eᵀ/T) from its teacher. With teacher P, student Q and
 * M = β·P + (1 − β)·Q it is β·KL(P‖M) + (1 − β)·KL(Q‖M), at β = 0 KL(P‖Q), at β = 1 KL(Q‖P). h is [rows, hidden], the
 * head E [vocabulary, hidden]. Its rule is `negativeDivergenceRule`.
 */
export function negativeDivergence(
  g: GraphBuilder,
  h: Value,
  head: Value,
  teacher: TeacherValues,
  { beta, temperature }: DivergenceSettings,
): Value {
  const [score] = g.composite('NegativeDivergence', [h, head], {}, () => {
    const logQ = logSoftmax(g, matmul(g, h, head, { transposeB: true, alpha: 1 / temperature }))
    const { divergence, slopes } =
      teacher.form === 'logits'
        ? compare(g, wholeTeacher(g, teacher.logits, temperature), { log: logQ, of: exp(g, logQ) }, beta)
        : compareTop(g, teacher, logQ, beta)
    // The slopes of −D in the logits, and what they pull the hidden states to.
    const pull = mul(g, slopes, g.scalar(-1 / temperature))
    return [neg(g, divergence), matmul(g, pull, head), pull]
  })
  if (score === undefined) throw new Error('A divergence is an output')
  return score
}

/** A distribution over the last axis, and its logarithm. */
interface Distribution {
  readonly log: Value
  readonly of: Value
}

function wholeTeacher(g: GraphBuilder, logits: Value, temperature: number): Distribution {
  const log = logSoftmax(g, temperature === 1 ? logits : mul(g, logits, g.scalar(1 / temperature)))
  return { log, of: exp(g, log) }
}

/**
 * D of each row, [rows], and its derivatives in the student's logits. With r = log q − log m, or log q − log p at
 * β = 1, they are c·q·(r − Σ q·r), where c is 1 − β, or 1 at β = 1; at β = 0 they are q − p.
 */
function compare(g: GraphBuilder, p: Distribution, q: Distribution, beta: number) {
  if (beta === 0) return { divergence: kl(g, p, p.log, q.log), slopes: sub(g, q.of, p.of) }
  const logOther = beta === 1 ? p.log : logMixture(g, p.of, q.of, beta)
  const surprise = sub(g, q.log, logOther)
  const mean = reduceSum(g, mul(g, q.of, surprise), [-1])
  const slopes = mul(g, q.of, sub(g, surprise, mean))
  const reverse = reduceSum(g, mean, [-1], false)
  if (beta === 1) return { divergence: reverse, slopes }
  const share = g.scalar(1 - beta)
  const forward = mul(g, kl(g, p, p.log, logOther), g.scalar(beta))
  return { divergence: add(g, forward, mul(g, reverse, share)), slopes: mul(g, slopes, share) }
}

/** Σ p·(a − b) of each row. */
function kl(g: GraphBuilder, { of }: Distribution, a: Value, b: Value): Value {
  return reduceSum(g, mul(g, of, sub(g, a, b)), [-1], false)
}

function logMixture(g: GraphBuilder, p: Value, q: Value, beta: number): Value {
  const mixture = add(g, mul(g, p, g.scalar(beta)), mul(g, q, g.scalar(1 - beta)))
  return log(g, max(g, mixture, g.scalar(SMALLEST_PROBABILITY)))
}

/**
 * The same over the k tokens and the rest, as one further outcome. Within the rest only its sum counts, so each of its
 * tokens takes part of the slope as it has part of the probability.
 */
function compareTop(
  g: GraphBuilder,
  { ids, logProbs }: Extract<TeacherValues, { form: 'top' }>,
  logQ: Value,
  beta: number,
) {
  const [rows, k] = [staticDim(ids.shape[0]), staticDim(ids.shape[1])]
  const impossible = expand(g, g.scalar(IMPOSSIBLE), [rows, k])
  const others = exp(g, scatterColumns(g, logQ, ids, impossible))
  const rest = max(g, reduceSum(g, others, [-1]), g.scalar(SMALLEST_PROBABILITY))
  const logStudent = concat(g, [gatherColumns(g, logQ, ids), log(g, rest)], 1)
  const student = { log: logStudent, of: exp(g, logStudent) }
  const { divergence, slopes } = compare(g, { log: logProbs, of: exp(g, logProbs) }, student, beta)
  const [ofTop = slopes, ofRest = slopes] = split(g, slopes, [k, 1], 1)
  return { divergence, slopes: scatterColumns(g, mul(g, others, div(g, ofRest, rest)), ids, ofTop) }
}
