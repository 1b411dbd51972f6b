import type { ModelConfig } from '../config/model-config.ts'
import type { GraphBuilder } from '../graph/builder.ts'
import { negativeDivergence, type TeacherValues } from '../graph/ops/divergence.ts'
import { gather } from '../graph/ops/indexing.ts'
import { concat, split } from '../graph/ops/layout.ts'
import { matmul } from '../graph/ops/products.ts'
import { tokenLogProbs } from '../graph/ops/token-log-probs.ts'
import { rmsNorm } from '../graph/ops/transformer.ts'
import type { Value } from '../graph/value.ts'
import { type Bucket, NAMES } from './batch.ts'
import type { ModelInputs } from './model-inputs.ts'
import type { Scoring, TeacherForm } from './scoring.ts'

/** Answer positions whose logits exist at the same time: the logits of all of them would outweigh the rest. */
export const SLICE_POSITIONS = 256

function sliceSizes(answers: number): readonly number[] {
  const full = Math.floor(answers / SLICE_POSITIONS)
  const rest = answers - full * SLICE_POSITIONS
  return [...Array.from({ length: full }, () => SLICE_POSITIONS), ...(rest > 0 ? [rest] : [])]
}

/** The rows of a value by slices of answers. */
function slices(g: GraphBuilder, x: Value, sizes: readonly number[]): readonly Value[] {
  return sizes.length === 1 ? [x] : split(g, x, sizes, 0)
}

/** Declares the answers' positions and returns a function that selects their rows from values [bins·length, …]. */
export function answerRows(g: GraphBuilder, bucket: Bucket): (x: Value) => Value {
  const positions = g.input(NAMES.answerPositions, 'int64', [bucket.answers])
  return (x) => gather(g, x, positions)
}

/** The final norm of hidden states. */
export function normedStates(g: GraphBuilder, config: ModelConfig, model: ModelInputs, hidden: Value): Value {
  const [normed] = rmsNorm(g, hidden, model.get('model.norm.weight'), config.normEpsilon)
  return normed
}

/** Score of each answer, [answers], from the hidden states of the answers' rows [answers, hidden]. */
export function answerScores(
  g: GraphBuilder,
  config: ModelConfig,
  bucket: Bucket,
  model: ModelInputs,
  hidden: Value,
  scoring: Scoring,
): Value {
  const sizes = sliceSizes(bucket.answers)
  const rows = slices(g, normedStates(g, config, model, hidden), sizes)
  if (scoring.kind === 'log-prob') {
    const targets = g.input(NAMES.targets, 'int64', [bucket.answers])
    const tokens = slices(g, targets, sizes)
    const parts = rows.map((row, index) => tokenLogProbs(g, row, model.head, tokens[index] ?? targets))
    return concat(g, parts, 0)
  }
  const teacherOf = teacherSlices(g, config, bucket, model, scoring.teacher, sizes)
  const parts = rows.map((row, index) => negativeDivergence(g, row, model.head, teacherOf(index), scoring))
  return concat(g, parts, 0)
}

/** Declares the inputs of a teacher and returns a function that makes its distributions for a slice. */
function teacherSlices(
  g: GraphBuilder,
  { vocabSize }: ModelConfig,
  { answers }: Bucket,
  model: ModelInputs,
  teacher: TeacherForm,
  sizes: readonly number[],
): (slice: number) => TeacherValues {
  switch (teacher.form) {
    case 'hidden': {
      const states = g.input(NAMES.teacherStates, 'float32', [answers, teacher.hiddenSize])
      const head = model.teacherHead(teacher.hiddenSize)
      const parts = slices(g, states, sizes)
      return (slice) => {
        const logits = matmul(g, parts[slice] ?? states, head, { transposeB: true })
        return { form: 'logits', logits }
      }
    }
    case 'logits': {
      const logits = g.input(NAMES.teacherLogits, 'float32', [answers, vocabSize])
      const parts = slices(g, logits, sizes)
      return (slice) => ({ form: 'logits', logits: parts[slice] ?? logits })
    }
    case 'top': {
      const ids = g.input(NAMES.teacherIds, 'int64', [answers, teacher.k])
      const logProbs = g.input(NAMES.teacherLogits, 'float32', [answers, teacher.k + 1])
      const [idParts, parts] = [slices(g, ids, sizes), slices(g, logProbs, sizes)]
      return (slice) => ({ form: 'top', ids: idParts[slice] ?? ids, logProbs: parts[slice] ?? logProbs })
    }
  }
}
