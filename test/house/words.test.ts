import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Words that a text of the project avoids, and the words to write in their place. */
const WORDS: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /\bnobody\b/i, instead: '"no caller", "no worker", or a sentence about those who can' },
  { pattern: /\bno one\b/i, instead: '"no caller", "no worker", or a sentence about those who can' },
  { pattern: /\b(?:somebody|anybody)\b/i, instead: 'the role: "a caller", "a member", "another process"' },
  { pattern: /\beverybody\b/i, instead: 'the role: "all callers", "all members"' },
  { pattern: /\bhears (?:of|that|about|from|no)\b/i, instead: '"is notified of", "receives"' },
  {
    pattern: /\b(?:is|are|was|were|be|been) told\b|\btold (?:apart|by|of|about|that)\b/i,
    instead: '"is notified", "is stated", "is distinguished"',
  },
  { pattern: /\bwho(?:so)?ever\b/i, instead: 'the role: "the caller that …", "the process that …"' },
  { pattern: /\bpok(?:e[sd]?|ing)\b/i, instead: '"signal-with-start", or "wake" for the outbox' },
  { pattern: /\b(?:is|are) no more\b(?! than)/i, instead: '"was deleted", "has ended", "has expired"' },
  { pattern: /\bevaluated rows?\b/i, instead: '"held-out row"' },
  { pattern: /\bunits are there again\b/i, instead: '"your quota resets on …"' },
  { pattern: /\/\*\* (?:What|How|Whom?)\b/, instead: 'a verb ("Returns …") or a noun phrase' },
  {
    pattern:
      /\b(?:to|for|of|by|from|with) whom?\b(?= (?:is|are|has|have|came|comes|did|asks?|asked|runs?|tells?|still|started)\b)/i,
    instead: 'the role: "a caller that …", "a person who …"',
  },
]

/** Files that need one of them, and why. */
const REASONS: Readonly<Record<string, string>> = {
  'api/overview/admin/diagnostics.ts': '`backlog.pokes` is a field of the answer',
  'bases/training/language/messages.ts': 'text that the base is trained on',
  'bases/training/words/common.ts': 'words that the base is trained on',
  'bench/tasks/everyday/formats.ts': 'rows of a task',
  'bench/documents/document-task.ts': 'text of a document',
  'core/overview/wire/admin/diagnostics.ts': '`backlog.pokes` is a field of the answer',
  'stack/postgres/account.ts': 'the name of an account of the system',
  'test/compile/core/rows/given-rows.ts': 'rows of a data set, whose order follows from their bytes',
}

describe('the words of the project', () => {
  const found = execFileSync('git', ['ls-files', '--', '*.ts', '*.js', '*.md', '*.py'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && file !== 'test/house/words.test.ts')
    .flatMap((file) => avoidedWords(file).map((place) => ({ file, place })))

  it('name who does what, with the terms of the field', () => {
    const unexplained = found.filter(({ file }) => !(file in REASONS))
    if (unexplained.length > 0) expect.fail(unexplained.map(({ place }) => place).join('\n'))
  })

  it('have no reason that is not needed', () => {
    expect(Object.keys(REASONS).filter((file) => !found.some((word) => word.file === file))).to.deep.equal([])
  })
})

/** Returns each avoided word of a file with its line. */
function avoidedWords(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, i) =>
    WORDS.flatMap(({ pattern, instead }) => {
      const word = pattern.exec(line)?.[0]
      return word === undefined ? [] : [`${file}:${i + 1}: "${word}": write ${instead}`]
    }),
  )
}
