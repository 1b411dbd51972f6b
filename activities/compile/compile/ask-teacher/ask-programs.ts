import { canonicalJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import type { ProviderMessage } from '../../../../core/gateway/providers/provider.ts'
import type { Equality } from '../../../../core/compile/rows/equality/equality.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import {
  programPrompt,
  repairPrompt,
  type ProgramFault,
} from '../../../../core/compile/stages/teacher/programs/program-prompt.ts'
import { readProgram } from '../../../../core/compile/stages/teacher/programs/read-program.ts'
import type { TrialInput, TrialOutput } from '../../../../core/compile/stages/teacher/programs/try-programs.ts'
import { PROGRAM_OUTPUT } from '../../../../core/compile/stages/teacher/programs/wire-schema.ts'
import { repairQuestion } from '../../../../core/compile/stages/teacher/questions.ts'
import { rowsAt } from '../../../../core/compile/stages/teacher/show-rows.ts'
import type { ProgramQuestion, TeacherSample } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import type { Buyer, SampleRequest } from './buyer.ts'
import type { Ground } from './ground-teacher.ts'

/** Maximum rounds of repair of a program, and programs repaired in each round. */
const REPAIRS = 2
const REPAIRED = 4
/** Rows that a program is tried on before a repair; adoption tries it on all rows. */
const TRIED_ROWS = 200
/** First samples should vary; a repair should follow its instructions. */
const SAMPLE_TEMPERATURE = 0.8
const REPAIR_TEMPERATURE = 0.4

/** Input for requesting programs. */
export interface ProgramAsk {
  readonly task: string
  readonly rows: readonly Row[]
  readonly equality: Equality
  readonly maxOutputTokens: number
  readonly buyer: Buyer
  readonly ground: Ground
  readonly tryPrograms: (input: TrialInput) => Promise<TrialOutput>
}

/** An answer with its original question. */
interface Answer {
  readonly ordinal: number
  readonly sample: TeacherSample
  readonly asked: readonly ProviderMessage[]
}

/** An answer worth repairing. */
interface Faulty {
  readonly answer: Answer
  readonly fault: ProgramFault
  /** Number of rows it gets right; -1 for an answer that is not a program. */
  readonly right: number
}

/**
 * Asks one question for programs: its samples, then up to two rounds of repairs of the best of them, until one is right
 * on every row that the question may see. Each next step depends on the recorded samples alone, so a later attempt asks
 * the same questions in the same order and pays only for missing samples.
 */
export async function askPrograms(ask: ProgramAsk, question: ProgramQuestion): Promise<void> {
  const asked = programPrompt(ask.task, question, ask.rows, await ask.ground(ask.task))
  const samples = await ask.buyer.buy(question.id, question.samples, requestOf(ask, asked, SAMPLE_TEMPERATURE))
  let answers: readonly Answer[] = samples.map((sample) => ({ ordinal: sample.ordinal, sample, asked }))
  for (let round = 1; round <= REPAIRS && answers.length > 0; round++) {
    const faulty = await findFaults(ask, question, answers)
    if (faulty === null) return
    const repaired = await Promise.all(faulty.map((one) => repair(ask, question, one, round)))
    answers = repaired.flat()
  }
}

async function repair(
  ask: ProgramAsk,
  question: ProgramQuestion,
  { answer, fault }: Faulty,
  round: number,
): Promise<readonly Answer[]> {
  const asked = repairPrompt(answer.asked, answer.sample.text, fault)
  const name = repairQuestion(question.id, answer.ordinal, round)
  const samples = await ask.buyer.buy(name, 1, requestOf(ask, asked, REPAIR_TEMPERATURE))
  return samples.map((sample) => ({ ordinal: answer.ordinal, sample, asked: answer.asked }))
}

function requestOf(
  { maxOutputTokens }: ProgramAsk,
  messages: readonly ProviderMessage[],
  temperature: number,
): SampleRequest {
  return { messages, temperature, maxTokens: maxOutputTokens, schema: PROGRAM_OUTPUT }
}

/** Returns the answers to repair, best first, each text once; null when one answer is right on every row. */
async function findFaults(
  ask: ProgramAsk,
  question: ProgramQuestion,
  answers: readonly Answer[],
): Promise<readonly Faulty[] | null> {
  const rows = rowsAt(ask.rows, question.fit.slice(0, TRIED_ROWS))
  const faulty = new Map<string, Faulty>()
  const programs = new Map<string, { readonly answer: Answer; readonly recipe: JsonObject }>()
  for (const answer of answers) {
    if (answer.sample.finish === 'refusal') continue
    const read = readProgram(answer.sample.text)
    if (read.kind === 'program') programs.set(canonicalJson(read.recipe), { answer, recipe: read.recipe })
    else faulty.set(answer.sample.text, { answer, fault: { kind: 'invalid', problem: read.problem }, right: -1 })
  }
  const tried = [...programs.values()]
  const { trials } = await ask.tryPrograms({
    programs: tried.map(({ recipe }) => recipe),
    rows,
    equality: ask.equality,
  })
  if (trials.some(({ right }) => right === rows.length)) return null
  for (const [i, { answer }] of tried.entries()) {
    const trial = trials[i]
    if (trial === undefined) continue
    const fault: ProgramFault = { kind: 'wrong', rows: trial.wrong, right: trial.right, total: rows.length }
    faulty.set(answer.sample.text, { answer, fault, right: trial.right })
  }
  return [...faulty.values()]
    .toSorted((a, b) => b.right - a.right || a.answer.ordinal - b.answer.ordinal)
    .slice(0, REPAIRED)
}
