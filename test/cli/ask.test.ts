import { expect } from 'chai'
import { describeQuestion, readReply } from '../../cli/compile/start/ask.ts'
import { tmpdir } from 'node:os'
import { runCli } from '../support/cli/run-cli.ts'

const QUESTION = {
  question: 1,
  state: 'open',
  input: 'Donald Ervin Knuth',
  reason: 'candidates_disagree',
  answers: [
    { output: 'Knuth', share: 0.62 },
    { output: 'Ervin', share: 0.38 },
  ],
  unanswered: 0,
  asked_at: '2026-01-01T00:00:00.000Z',
  answer_by: '2026-01-01T00:10:00.000Z',
} as const

describe('svc compile --ask', () => {
  it('shows the rival answers with their shares', () => {
    expect(describeQuestion({ ...QUESTION, answers: [...QUESTION.answers] })).to.include('1) "Knuth"  62 %')
  })

  it('reads a number, an answer of its own, a skip and an invalid input', () => {
    const answers = [...QUESTION.answers]
    expect(readReply('2', { answers })).to.deep.equal({ output: 'Ervin' })
    expect(readReply(' = D. Knuth ', { answers })).to.deep.equal({ output: 'D. Knuth' })
    expect(readReply('s', { answers })).to.equal('skip')
    expect(readReply('i', { answers })).to.equal('invalid_input')
    for (const line of ['', '3', '0', 'Knuth']) expect(readReply(line, { answers }), line).to.equal(undefined)
    const numbers = [{ output: 1, share: 1 }]
    expect(readReply('= 2', { answers: numbers })).to.deep.equal({ output: 2 })
    expect(readReply('= two', { answers: numbers })).to.equal(undefined)
    for (const [line, output] of [
      ['= 12', 12],
      ['= true', true],
      ['= null', null],
      ['= {"a": [1]}', { a: [1] }],
      ['= twelve', 'twelve'],
      ['= "a"', '"a"'],
    ] as const) {
      expect(readReply(line, { answers: [] }), line).to.deep.equal({ output })
    }
  })

  it('says that it needs a terminal, before it sends anything', async () => {
    const folder = tmpdir()
    const run = await runCli(['compile', '--task', 'x', '--ask'], { profileDir: folder, folder })
    expect([run.code, run.stdout]).to.deep.equal([2, ''])
    expect(run.stderr).to.include('--ask needs a terminal')
  })
})
