import type { JsonObject } from '../../core/kernel/json/json.ts'
import { createRandom } from '../../core/model/random.ts'

const NAMES = ['Anna', 'Ben', 'Clara', 'Dev', 'Eva', 'Finn', 'Gita', 'Hugo']
const CITIES = ['Paris', 'London', 'Rome', 'Berlin', 'Madrid', 'Oslo']

/** Makes rows that all tasks read. */
export function evalRows(count: number, seed: number): readonly JsonObject[] {
  const random = createRandom(seed, 'rows of evaluation tasks')
  const below = (n: number): number => Math.floor(random.float() * n)
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? ''
  return Array.from({ length: count }, (_, id) => {
    const choices = CITIES.toSorted(() => random.float() - 0.5).slice(0, 4)
    const answer = below(4)
    const [a, b] = [2 + below(18), 2 + below(18)]
    const words = Array.from({ length: 5 + below(55) }, () => pick([...NAMES, ...CITIES]).toLowerCase())
    return {
      id,
      question: `${pick(NAMES)} lives in ${choices[answer] ?? ''}. Where does ${pick(NAMES)} live? `,
      choices,
      answer,
      a,
      b,
      sum: String(a + b),
      topic: pick(['travel', "people's homes"]),
      text: `${words.join(' ')}.`,
      ok: below(2) === 1,
      first: choices[0] ?? '',
      second: choices[1] ?? '',
    }
  })
}

const CHOICE = 'test_split: test\ntraining_split: train\noutput_type: multiple_choice\n'
const QUESTION = 'doc_to_text: "{{question}}"\ndoc_to_choice: choices\ndoc_to_target: answer\n'

/** Twelve tasks, which between them use all parts of a task that are supported. */
export const EVAL_TASKS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    plain: CHOICE + QUESTION,
    drawn: `${CHOICE}fewshot_split: train
doc_to_text: "Question: {{question.strip()}}\\nAnswer:"
doc_to_choice: choices
doc_to_target: answer
num_fewshot: 3
metric_list: [{metric: acc}, {metric: acc_norm}, {metric: acc_bytes}, {metric: exact_match}, {metric: brier_score}]
`,
    'same-split': `test_split: test\nfewshot_split: test\noutput_type: multiple_choice\n${QUESTION}num_fewshot: 2\n`,
    letters: `${CHOICE}fewshot_split: train
description: "The following are questions about {{topic}}.\\n\\n"
doc_to_text: "{{question}}\\n{% for c in choices %}{{ 'ABCD'[loop.index0] }}. {{c}}\\n{% endfor %}Answer:"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
num_fewshot: 2
fewshot_config: {sampler: first_n}
`,
    literal: `${CHOICE}doc_to_text: "{{question}}{% if ok %} (yes: {{ok}}){% endif %}"
doc_to_choice: "{{[first, second]}}"
doc_to_target: "{{ 0 if ok else 1 }}"
num_fewshot: 2
metric_list: [{metric: acc}, {metric: acc_mutual_info}]
`,
    'in-the-prompt': `${CHOICE}doc_to_text: "{{ 1 if ok else 0 }}"
doc_to_target: "is an old city."
doc_to_choice: "{{ ['I think ' + first, 'I think ' + second] }}"
num_fewshot: 1
metric_list: [{metric: acc}]
`,
    'last-word': `test_split: test
output_type: loglikelihood
doc_to_text: "{{text.split(' ')[:-1]|join(' ')}}"
doc_to_target: "{{' ' + text.split(' ')[-1]}}"
metric_list: [{metric: acc}]
`,
    'long-text': `test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{text|regex_replace('anna|ben', 'x')}} {{text}} {{text}} {{text}} {{text}}"
`,
    sums: `test_split: test
fewshot_split: train
output_type: generate_until
doc_to_text: "{{a}} + {{b}} ="
doc_to_target: "{{sum}}"
num_fewshot: 4
generation_kwargs: {until: ["\\n", "."], max_gen_toks: 16}
metric_list: [{metric: exact_match, ignore_punctuation: true}]
filter_list:
  - {name: first, filter: [{function: regex, regex_pattern: "(-?[0-9]+)"}, {function: take_first}]}
  - {name: last, filter: [{function: regex, regex_pattern: "(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select: -1}, {function: take_first}]}
`,
    'own-examples': `test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{choices[answer]}}"
gen_prefix: "In"
num_fewshot: 2
fewshot_config:
  samples:
    - {question: "Where is Bo?", choices: ["Rome"], answer: 0}
    - {question: "Where is Cy?", choices: ["Oslo", "Bonn"], answer: 1}
    - {question: "Where is Di?", choices: ["Oslo", "Bonn"], answer: 0}
generation_kwargs: {until: ["."], max_gen_toks: 8}
`,
    several: `${CHOICE}doc_to_text: "{{question}}"
doc_to_choice: choices
doc_to_target: "{{ [answer, (answer + 1) % 4] }}"
metric_list: [{metric: acc}, {metric: acc_norm}]
`,
    unconditional: `${CHOICE}doc_to_text: ""
doc_to_choice: choices
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
`,
  }).map(([name, text]) => [name, `task: ${name}\n${text}`]),
)
