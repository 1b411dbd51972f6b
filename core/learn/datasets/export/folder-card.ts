import type { ExportKind } from './export-rows.ts'
import { columnsOf } from './export-rows.ts'

/** Facts of a version that a card states. */
export interface CardFacts extends ExportKind {
  readonly name: string
  readonly datasetId: string
  readonly version: number
  readonly train: number
  readonly held: number
  readonly forgotten: number
  readonly merkleRoot: string
  readonly splitSignature: string
  readonly seed: string
}

/** Files of the sides within a folder. */
export const SIDE_FILES = { train: 'data/train.jsonl', holdout: 'data/test.jsonl' } as const

/**
 * Returns the card of an exported folder: README.md with the YAML that `datasets.load_dataset` reads. A side without rows
 * has no file. The held-out side is the split `test`.
 */
export function folderCard(facts: CardFacts): string {
  const { name, train, held, type, form } = facts
  const splits = [
    ...(train > 0 ? [{ split: 'train', path: SIDE_FILES.train }] : []),
    ...(held > 0 ? [{ split: 'test', path: SIDE_FILES.holdout }] : []),
  ]
  return [
    '---',
    `pretty_name: ${JSON.stringify(name)}`,
    'configs:',
    '- config_name: default',
    '  data_files:',
    ...splits.flatMap(({ split, path }) => [`  - split: ${split}`, `    path: ${path}`]),
    '---',
    '',
    `# ${name.replaceAll(/[\r\n]+/g, ' ')}`,
    '',
    `Version ${facts.version} of dataset \`${facts.datasetId}\`, exported by svc.`,
    '',
    '| fact | value |',
    '|---|---|',
    `| type of the rows | ${type}, ${form} |`,
    `| columns | ${columnsOf(facts).join(', ')} |`,
    `| rows to learn from (\`train\`) | ${train} |`,
    `| held-out rows (\`test\`) | ${held} |`,
    `| rows that were forgotten since | ${facts.forgotten} |`,
    `| Merkle root of the version | \`${facts.merkleRoot}\` |`,
    `| signature of the split | \`${facts.splitSignature}\` |`,
    `| seed of the split | \`${facts.seed}\` |`,
    '',
    ...(form === 'json' ? ['Values that are neither texts nor messages are JSON texts.', ''] : []),
  ].join('\n')
}
