/**
 * Asks the base about every family, items held back from training and families that were left out of it, and writes
 * the shares of exact answers: `npm run base:evaluate -- [--base DIR] [--count N] [--family NAME]`. With a family its
 * answers are printed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openBaseModel } from '../../core/model/files/base-model.ts'
import { openOfflineGenerator } from '../../core/model/generation/offline-generator.ts'
import { ask, exactShare } from './evaluation/ask.ts'
import { questionsOf, type Telling } from './evaluation/questions.ts'
import { SETTINGS } from './settings.ts'
import { GROUPS, TRAINED_FAMILIES, UNSEEN_FAMILIES } from './tasks/families.ts'

const { values: options } = parseArgs({
  options: {
    base: { type: 'string', default: 'bases/nano' },
    count: { type: 'string', default: '20' },
    family: { type: 'string' },
  },
})
const count = Number(options.count)
const { model, tokenizer } = await openBaseModel(options.base)
const generator = openOfflineGenerator(model, tokenizer)

const percent = (share: number): string => `${Math.round(100 * share)}%`.padStart(5)
const mean = (shares: readonly number[]): number =>
  shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)

interface FamilyRow extends Record<Telling, number> {
  readonly family: string
  readonly isTrained: boolean
  /** The share of the items that the training text cannot have held. */
  readonly unseenItems: number
}

const rows: FamilyRow[] = []
for (const family of [...TRAINED_FAMILIES, ...UNSEEN_FAMILIES]) {
  if (options.family !== undefined && family.name !== options.family) continue
  const shares = { instruction: 0, examples: 0 }
  let unseen = 0
  for (const telling of ['instruction', 'examples'] as const satisfies readonly Telling[]) {
    const questions = questionsOf(family, telling, count, SETTINGS.seed)
    const answers = await ask(generator, tokenizer, questions)
    shares[telling] = exactShare(questions, answers)
    unseen += questions.filter(({ isUnseen }) => isUnseen).length
    if (options.family === undefined) continue
    questions.forEach(({ input, output }, i) =>
      console.log(JSON.stringify({ telling, input, output, answer: answers[i] })),
    )
  }
  const isTrained = TRAINED_FAMILIES.includes(family)
  rows.push({ family: family.name, isTrained, ...shares, unseenItems: unseen / (2 * count) })
  console.log(
    `${family.name.padEnd(24)} ${isTrained ? '        ' : 'left out'} ${percent(shares.instruction)} ${percent(shares.examples)}`,
  )
}
await generator.close()

/** The mean shares of some families. */
const summarise = (name: string, chosen: readonly FamilyRow[]) => ({
  name,
  families: chosen.length,
  instruction: mean(chosen.map(({ instruction }) => instruction)),
  examples: mean(chosen.map(({ examples }) => examples)),
})
const summary = [
  ...GROUPS.map(({ name, families }) =>
    summarise(
      name,
      rows.filter((row) => row.isTrained && families.some((family) => family.name === row.family)),
    ),
  ),
  summarise(
    'all that were trained',
    rows.filter(({ isTrained }) => isTrained),
  ),
  summarise(
    'left out of training',
    rows.filter(({ isTrained }) => !isTrained),
  ),
]
for (const { name, families, instruction, examples } of summary) {
  console.log(`| ${name} | ${families} | ${percent(instruction)} | ${percent(examples)} |`)
}
if (options.family === undefined) {
  writeFileSync(
    join(options.base, 'evaluation.json'),
    `${JSON.stringify({ itemsOfEach: count, summary, families: rows }, null, 1)}\n`,
  )
}
