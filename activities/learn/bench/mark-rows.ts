import pLimit from 'p-limit'
import type { CodeSandbox, CodeVerdict } from '../../../core/learn/evals/bench/code/sandbox.ts'
import { checkProgram, completionOf } from '../../../core/learn/evals/bench/code/check-program.ts'
import { judgeTurn } from '../../../core/learn/evals/bench/judge/judge.ts'
import { dialogueTurns } from '../../../core/learn/evals/bench/runs/dialogue.ts'
import type { RowMarks } from '../../../core/learn/evals/bench/runs/marks.ts'
import type { Provider } from '../../../core/gateway/providers/provider.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { PreparedRow } from '../../../core/learn/evals/prompts/prepared.ts'
import type { RowResponses } from '../../../core/learn/evals/scoring/responses.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import type { EvaluationDeps } from '../evals/deps.ts'

/** Says what a sandbox or a judge makes of the answers to a row; undefined where they are compared. */
export type MarkRow = (row: PreparedRow, responses: RowResponses) => Promise<RowMarks | undefined>

/** Turns that are judged at once. */
const JUDGED_AT_ONCE = 4
/** Time of a program where the run names none, milliseconds. */
const PROGRAM_MS = 30_000

/**
 * Opens what marks the rows of an evaluation. Throws `no_code_sandbox_configured` where no sandbox of this worker passed its probes,
 * and what refuses the model that judges.
 */
export async function openMarker(
  { codeSandbox, models }: Pick<EvaluationDeps, 'codeSandbox' | 'models'>,
  { tenantId, namespace }: { readonly tenantId: string; readonly namespace: string },
  { bench }: EvalDefinition,
  activity: RunningActivity,
): Promise<MarkRow> {
  switch (bench?.benchmark) {
    case 'humaneval': {
      const { sandbox } = await codeSandbox()
      if (sandbox === null) {
        throw LEARN_ERRORS.no_code_sandbox_configured('no sandbox of this worker passed its probes')
      }
      return markPrograms(sandbox, bench.sandboxTimeoutMs ?? PROGRAM_MS, activity)
    }
    case 'mtbench': {
      if (bench.judge === null) throw LEARN_ERRORS.no_judge_model_configured('the run names no model that judges')
      const { memberId, teamId, model } = bench.judge
      const { provider } = await models.open({ tenantId, memberId, teamId, namespace }, model)
      return markDialogues(provider, activity)
    }
    case 'mmlu':
    case undefined:
      return async () => await Promise.resolve(undefined)
  }
}

/** The programs of an evaluation run one after another: its slot stands for one core. */
function markPrograms(sandbox: CodeSandbox, timeoutMs: number, { signal, progress }: RunningActivity): MarkRow {
  const inTurn = pLimit(1)
  const run = async (program: string): Promise<CodeVerdict> =>
    await inTurn(async () => {
      const verdict = await sandbox.run({ program, timeoutMs, signal })
      progress()
      return verdict
    })
  return async ({ doc }, responses) => {
    if (responses.type !== 'texts') return undefined
    const programs = responses.texts.map((text) => checkProgram(doc, completionOf(text)))
    // The same program ends the same way.
    const runs = new Map([...new Set(programs)].map((program) => [program, run(program)]))
    await Promise.all(runs.values())
    const verdicts = await Promise.all(programs.map(async (program) => await runs.get(program)))
    return { type: 'code', verdicts: verdicts.filter((verdict) => verdict !== undefined) }
  }
}

function markDialogues(judge: Provider, { signal, progress }: RunningActivity): MarkRow {
  const few = pLimit(JUDGED_AT_ONCE)
  return async ({ doc }, responses) => {
    if (responses.type !== 'texts') return undefined
    const { texts: answers } = responses
    const { turns: questions, reference: references } = dialogueTurns(doc)
    const judged = questions.map(
      async (_, turn) =>
        await few(async () => {
          const reference = references[turn] ?? null
          const judgement = await judgeTurn(judge, { questions, answers, turn, reference }, signal)
          progress()
          return judgement
        }),
    )
    return { type: 'judge', turns: await Promise.all(judged) }
  }
}
