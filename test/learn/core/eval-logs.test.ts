import { expect } from 'chai'
import { readLog } from '../../../core/learn/evals/logs/read/read-log.ts'

const BOUNDS = { rows: 10, sizeBytes: 100_000, depth: 16, parts: 100 }
const HEADER = { status: 'success', eval: { task: 'sums', model: 'openai/gpt-4o' } }

const part = (name: string, value: unknown) => ({
  name,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
})
const sample = (id: number, more: object = {}) => ({ id, input: `${id}?`, target: '1', ...more })
const inspect = async (samples: readonly object[], header: object = HEADER) =>
  await readLog(
    [part('header.json', header), ...samples.map((each, place) => part(`samples/${place}_epoch_1.json`, each))],
    BOUNDS,
  )
const scored = (id: number, f1: number, exact: number) =>
  sample(id, { scores: { f1: { value: f1 }, exact: { value: exact } } })

describe('logs of other tools', () => {
  it('have rows that are right or wrong by one metric for the whole task', async () => {
    const rightOf = async (...samples: readonly object[]) => (await inspect(samples)).rows.map(({ isRight }) => isRight)
    // The first row alone would be right by f1.
    expect(await rightOf(scored(1, 1, 0), scored(2, 0.5, 1))).to.deep.equal([false, true])
    expect(await rightOf(scored(1, 1, 0), scored(2, 0, 1))).to.deep.equal([true, false])
    expect(await rightOf(scored(1, 1, 0.5), scored(2, 0.5, 1))).to.deep.equal([null, null])
    expect(await rightOf(scored(1, 1, 0), sample(2))).to.deep.equal([true, null])
  })

  it('have figures in the direction of their metric, and no row that a perfect ter would call wrong', async () => {
    const results = { scores: ['ter', 'bleu', 'style'].map((name) => ({ name, metrics: { mean: { value: 0 } } })) }
    const ters = [1, 2].map((id) => sample(id, { scores: { ter: { value: 0 } } }))
    const { figures, rows } = await inspect(ters, { ...HEADER, results })
    expect(figures.map(({ metric, isHigherBetter }) => [metric, isHigherBetter])).to.deep.equal([
      ['ter', false],
      ['bleu', true],
      ['style', true],
    ])
    expect(rows.map(({ isRight }) => isRight)).to.deep.equal([null, null])
  })

  it('name task and row in metadata that this service wrote, and in no other', async () => {
    const own = { ...HEADER, eval: { ...HEADER.eval, metadata: { tasks: ['a', 'b'] } } }
    const at = ({ rows }: Awaited<ReturnType<typeof inspect>>) =>
      rows.map(({ sample: { task, docId } }) => [task, docId])
    expect(at(await inspect([sample(1, { metadata: { task: 'b', doc_id: 7 } })], own))).to.deep.equal([['b', 7]])
    expect(at(await inspect([sample(1, { metadata: { task: 'hard', doc_id: 0.5 } })]))).to.deep.equal([['sums', 0]])
    for (const metadata of [{ task: 'c', doc_id: 0 }, { task: 'a', doc_id: -1 }, { task: 'a', doc_id: 1e12 }, {}]) {
      expect(at(await inspect([sample(1, { metadata })], own))).to.deep.equal([['sums', 0]])
    }
  })

  it('hold integers that a double rounds, and halves of surrogate pairs, which become U+FFFD', async () => {
    const text = String.raw`{"id":1,"input":"a\ud800?","target":"1","metadata":{"doc":{"seed":12345678901234567890,"\udfff":1}}}`
    const { rows } = await readLog([part('header.json', HEADER), part('samples/1_epoch_1.json', text)], BOUNDS)
    expect(rows[0]?.sample.doc).to.deep.equal({ seed: 12345678901234567000, '\ufffd': 1 })
    expect(rows[0]?.sample.requests[0]).to.include({ context: 'a\ufffd?' })
  })

  it('are refused with their member for JSON that is deep, large or doubtful', async () => {
    const faulty = async (text: string) => {
      const error = await readLog([part('header.json', HEADER), part('samples/1_epoch_1.json', text)], BOUNDS).catch(
        (reason: unknown) => reason,
      )
      return String(error)
    }
    const inside = (text: string) => JSON.stringify(sample(1)).replace('}', `,"store":${text}}`)
    expect(await faulty(inside('[]'))).to.equal('[object Object]')
    expect(await faulty(inside('['.repeat(20) + ']'.repeat(20)))).to.contain(
      'samples/1_epoch_1.json: nests deeper than 16 levels',
    )
    expect(await faulty(inside(`[${'0,'.repeat(100)}0]`))).to.contain('holds more than 100 members')
    expect(await faulty(inside('{"a":1,"a":2}'))).to.contain('is given twice')
    expect(await faulty('{')).to.contain('samples/1_epoch_1.json: is not valid JSON at line 1')
  })
})
