import { expect } from 'chai'
import { noteFacts } from '../../../core/compile/artifacts/diagnosis/facts/facts-of.ts'
import { isNumeric } from '../../../core/compile/rows/table/columns/cell-types.ts'
import { uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import { examplesOfFile } from '../../../core/compile/rows/table/table-examples.ts'
import { shownValues } from '../../../core/compile/rows/table/workbook/shown-values.ts'
import { sheetProblems, sheetsOf } from '../../../core/compile/rows/table/workbook/sheets.ts'
import { readAnswer } from '../../../core/compile/stages/teacher/answer-text.ts'
import { generateChecks } from '../../../core/compile/stages/verifier/generate-checks.ts'
import { mutateOutput } from '../../../core/compile/stages/verifier/mutate-output.ts'
import { verifyReport } from '../../../core/evidence/cc/verify-report.ts'
import { createPlaceholders } from '../../../core/gateway/gate/privacy/placeholders.ts'
import { mapTexts, visitorOf } from '../../../core/gateway/gate/privacy/walk.ts'
import { objectIn } from '../../../core/gateway/protocol/dialects/fields.ts'
import { readRequest } from '../../../core/gateway/protocol/dialects/generate-content/read-request.ts'
import { joinTurns } from '../../../core/gateway/protocol/exchange/request.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { wordsOf } from '../../../core/kernel/search/words.ts'
import { choiceLetter } from '../../../core/learn/evals/scoring/choice-letter.ts'
import { readTasks } from '../../../core/learn/evals/task/read-tasks.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { redactReport } from '../../../core/overview/reports/client-error.ts'

/**
 * Processor time of this thread that one input may take, milliseconds: each took many times that, or had no end. What other
 * threads do meanwhile, such as the collector of garbage that earlier tests left, is not counted.
 */
const MOST_MS = 1500
const range = <T>(length: number, item: (at: number) => T): T[] => Array.from({ length }, (_, at) => item(at))
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** One input of about the largest size that a caller may send, and what is made of it. */
const INPUTS: Readonly<Record<string, () => unknown>> = {
  'a certificate of spaces': () => {
    const raw = Buffer.alloc(0x4a0)
    raw.writeUInt32LE(2, 0)
    raw.writeUInt32LE(1, 0x34)
    const certificates = [`-----BEGIN CERTIFICATE-----${' '.repeat(1_000_000)}!`]
    const report = { raw: raw.toString('base64'), certificates }
    const anchors = { 'snp-report': { roots: [], intermediates: [], revoked: new Set<string>() } }
    return verifyReport({ kind: 'snp-report', report, expected: {} }, anchors, new Date())
  },
  'a cell of digits': () => isNumeric(`${'1'.repeat(81_000)}x`),
  'an attribute without a value': () =>
    sheetsOf(
      new Map([
        ['xl/_rels/workbook.xml.rels', Buffer.from(`<Relationship ${'a'.repeat(200_000)}>`)],
        ['xl/workbook.xml', Buffer.from('')],
      ]),
    ),
  'one row again and again': async () => {
    const row = `${'ab,'.repeat(199)}ab\n`
    const bytes = async function* () {
      yield* range(40, () => Buffer.from(row.repeat(500)))
    }
    const bounds = { ...uploadBounds(DEFAULT_LIMITS), maxRows: 1000 }
    await examplesOfFile({ format: 'csv', mapping: {} }, bytes, bounds).examples.next()
  },
  'tags without an end': () =>
    sheetProblems(Buffer.from(`<worksheet><c r="A1">${'<v'.repeat(100_000)}</c></worksheet>`), 'S'),
  'styles without an end': () =>
    shownValues(new Map([['xl/styles.xml', Buffer.from('<cellXfs>'.repeat(100_000))]]), 'xl/worksheets/sheet1.xml'),
  'a text without a full stop': () => noteFacts('input', `${'lorem ipsum dolor '.repeat(900)}3.5`, () => {}),
  'a text of marks and lines': () =>
    noteFacts('input', `${'.'.repeat(5000)}${'\n'.repeat(5000)}${'a'.repeat(5000)}`, () => {}),
  'a wide output that is made wrong': () => mutateOutput(Object.fromEntries(range(1000, (i) => [`k${i}`, i])), []),
  'outputs that are long lists': () =>
    generateChecks(range(30, (i) => ({ id: `row_${i}`, input: `x${i}`, output: range(5000, (j) => (i + j) % 10) }))),
  'a fence of empty lines': () => readAnswer('```' + '\n'.repeat(200_000)),
  'a long word': () => wordsOf(range(200, () => `${'a'.repeat(8000)}z`).join(' ')),
  'the error of a browser': () => {
    const text = 'a'.repeat(32_000)
    return redactReport({ message: text, source: text, line: null, col: null, stack: text, path: text, agent: null })
  },
  'an answer without its letter': () => [
    choiceLetter(`answer is${' '.repeat(50_000)}`),
    choiceLetter(`answer:${'*'.repeat(50_000)}`),
  ],
  'files that include others twice': () => {
    const names = range(40, (i) => `f${i}.yaml`)
    const files = names.map((name, i) => {
      const next = names[i + 1]
      return [name, next === undefined ? 'output_type: generate_until\n' : `include: [${next}, ${next}]\n`] as const
    })
    return readTasks(Object.fromEntries([['task', 'include: [f0.yaml, f0.yaml]\ntask: x\n'], ...files]))
  },
  'results of tools in another order': () =>
    readRequest({
      model: 'm',
      contents: [
        { role: 'model', parts: range(30_000, (i) => ({ functionCall: { name: 'f', id: `c${i}` } })) },
        {
          role: 'user',
          parts: range(30_000, (i) => ({ functionResponse: { name: 'f', id: `c${29_999 - i}`, response: {} } })),
        },
      ],
    }),
  'a turn of many parts': () =>
    joinTurns([
      { role: 'user', parts: [{ kind: 'text', text: 'x' }] },
      { role: 'user', parts: range(400_000, () => ({ kind: 'text', text: 'a' })) },
    ]),
  'deep arguments of a tool': () => [
    mapTexts(
      {
        model: 'm',
        messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: deep(100_000) } }] }],
      },
      visitorOf((text: string) => text),
    ),
    JSON.stringify(objectIn(`{"a":${deep(100_000)}}`)),
  ],
}

describe('one input of the largest size', () => {
  for (const [name, work] of Object.entries(INPUTS)) {
    it(`is read in little time: ${name}`, async () => {
      const before = process.threadCpuUsage()
      try {
        await work()
      } catch (error) {
        // It may be refused.
        expect(error).to.be.instanceOf(DomainError)
      }
      const { user, system } = process.threadCpuUsage(before)
      expect((user + system) / 1000).to.be.at.most(MOST_MS)
    })
  }

  it('holds a stream no longer for many placeholders', () => {
    const placeholders = createPlaceholders()
    for (let i = 0; i < 40_000; i++) placeholders.of('email', `a${i}@example.test`)
    const before = process.threadCpuUsage()
    for (let event = 0; event < 200; event++) placeholders.heldBack('V'.repeat(40))
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).to.be.at.most(MOST_MS)
    expect(placeholders.heldBack('sent to VAR_EMAIL_39999')).to.equal('VAR_EMAIL_39999'.length)
    expect(placeholders.heldBack('sent to VAR_EM')).to.equal('VAR_EM'.length)
    expect(placeholders.heldBack('sent to VAR_NONE')).to.equal(0)
  })
})
