import type { JsonObject } from '../../../../kernel/json/json.ts'
import { LEARN_ERRORS } from '../../../errors.ts'
import { prepareTask, type SplitRows } from '../../prompts/prepare-task.ts'
import type { PreparedSet } from '../../thread/eval-tasks.ts'
import { TaskConfig } from '../../task/task-config.ts'
import { storedQuestions } from '../packs/read-pack.ts'
import type { BenchInput } from './bench-input.ts'
import { dialogueRow } from './dialogue.ts'

/** Ends of a completion of HumanEval (`humaneval.yaml` of lm-evaluation-harness 0.4.13). */
const CODE_ENDS = ['\nclass', '\ndef', '\n#', '\nif', '\nprint']
const QUESTION =
  '{{question.strip()}}\nA. {{choices[0]}}\nB. {{choices[1]}}\nC. {{choices[2]}}\nD. {{choices[3]}}\nAnswer:'

/**
 * Returns the tasks of a benchmark with their prompts. Throws `validation_failed` for unknown subjects, `invalid_eval_task` for
 * examples that the pack does not have.
 */
export function prepareBench(input: BenchInput): PreparedSet {
  switch (input.benchmark) {
    case 'mmlu':
      return prepareMmlu(input)
    case 'humaneval':
      return prepareHumanEval(input)
    case 'mtbench':
      return prepareMtBench(input)
  }
}

const NO_EXAMPLES = { fewShots: null, sliceBy: null, clusterBy: null } as const

/** As `mmlu` of lm-evaluation-harness 0.4.13 asks: one task for each subject. */
function prepareMmlu({ lines, choices }: BenchInput): PreparedSet {
  const questions = storedQuestions('mmlu', lines)
  const bySubject = Map.groupBy(questions, ({ subject }) => subject)
  const wanted = choices.subjects ?? [...bySubject.keys()]
  const unknown = wanted.find((subject) => !bySubject.has(subject))
  if (unknown !== undefined) {
    throw LEARN_ERRORS.unknown_subject(
      `subjects: the pack has no ${JSON.stringify(unknown)}; it has ${[...bySubject.keys()].join(', ').slice(0, 2000)}`,
    )
  }
  const isText = choices.answer === 'text'
  const tasks = [...new Set(wanted)].map((subject) =>
    TaskConfig.parse({
      task: subject,
      test_split: 'test',
      fewshot_split: 'dev',
      fewshot_config: { sampler: 'first_n' },
      description: `The following are multiple choice questions (with answers) about ${subject.replaceAll('_', ' ')}.\n\n`,
      doc_to_text: QUESTION,
      doc_to_choice: ['A', 'B', 'C', 'D'],
      doc_to_target: 'answer',
      output_type: isText ? 'generate_until' : 'multiple_choice',
      metric_list: [{ metric: isText ? 'exact_match' : 'acc' }],
      ...(isText && {
        filter_list: [{ name: 'letter', filter: [{ function: 'choice_letter' }, { function: 'take_first' }] }],
        generation_kwargs: { until: ['\n\n'], do_sample: false, max_gen_toks: choices.maxTokens },
      }),
    }),
  )
  const { fewShots, limit, seed } = choices
  const rows = tasks.flatMap((task) => {
    const all = bySubject.get(task.task) ?? []
    const of = (split: string): readonly JsonObject[] => all.filter((row) => row.split === split)
    const splits: SplitRows = { test: of('test'), dev: of('dev') }
    if (of('test').length === 0) return []
    return prepareTask(task, splits, { ...NO_EXAMPLES, fewShots, limit, seed })
  })
  return { set: { tasks, groups: [] }, rows }
}

function prepareHumanEval({ lines, choices }: BenchInput): PreparedSet {
  const { repeats, temperature, maxTokens, limit, seed } = choices
  const task = TaskConfig.parse({
    task: 'humaneval',
    test_split: 'test',
    doc_to_text: 'prompt',
    doc_to_target: 'entry_point',
    output_type: 'generate_until',
    repeats,
    metric_list: [{ metric: 'passed' }],
    generation_kwargs: { until: CODE_ENDS, do_sample: temperature > 0, temperature, max_gen_toks: maxTokens },
  })
  const rows = prepareTask(task, { test: storedQuestions('humaneval', lines) }, { ...NO_EXAMPLES, limit, seed })
  return { set: { tasks: [task], groups: [] }, rows }
}

function prepareMtBench({ lines, choices }: BenchInput): PreparedSet {
  const { temperature, maxTokens, limit } = choices
  const task = TaskConfig.parse({
    task: 'mtbench',
    test_split: 'test',
    // One answer for each turn.
    repeats: 2,
    doc_to_text: 'turns',
    doc_to_target: 'category',
    output_type: 'generate_until',
    metric_list: [{ metric: 'judge_score' }],
    generation_kwargs: {
      until: ['\n### User:'],
      do_sample: temperature > 0,
      temperature,
      max_gen_toks: maxTokens,
    },
  })
  const questions = storedQuestions('mtbench', lines)
  const rows = questions.slice(0, limit ?? questions.length).map((doc, docId) => dialogueRow(doc, docId))
  return { set: { tasks: [task], groups: [] }, rows }
}
