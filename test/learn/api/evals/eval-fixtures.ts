import type { WorkerDeps } from '../../../../workers/deps.ts'

/** A multiple choice task. */
export const CAPITALS = `
task: capitals
training_split: train
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: choices
doc_to_target: answer
`

/** Rows of it; of every third one another option is right. */
export const rows = (count: number) =>
  Array.from({ length: count }, (_, place) => ({
    question: `Which number comes after ${place}?`,
    choices: [String(place + 1), String(place + 2), 'none'],
    answer: place % 3,
    topic: place % 2 === 0 ? 'even' : 'odd',
  }))

/** A base whose requests can fail once, as when its process ends. */
export function requestFaults() {
  let asked = 0
  let fault = 0
  return {
    /** Counts requests from now on; the one with this number fails. */
    failAt(request: number): void {
      asked = 0
      fault = request
    },
    asked: () => asked,
    change: (deps: WorkerDeps): WorkerDeps => ({
      ...deps,
      generators: {
        ...deps.generators,
        use: async (name, task) =>
          await deps.generators.use(name, async ({ base, generator }) => {
            const scoreContinuations: typeof generator.scoreContinuations = async (request) => {
              if (++asked === fault) throw new Error(`lost at request ${fault}`)
              return await generator.scoreContinuations(request)
            }
            return await task({ base, generator: { ...generator, scoreContinuations } })
          }),
      },
    }),
  }
}
