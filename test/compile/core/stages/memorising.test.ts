import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import { expect } from 'chai'
import { LANGUAGE, type Expr, type Program } from '../../../../core/compile/language/ast.ts'
import { foldedWords, lettersOf } from '../../../../core/compile/rows/split/input-text.ts'
import { groupNearDuplicates } from '../../../../core/compile/rows/split/near-duplicates.ts'
import { isMemorising } from '../../../../core/compile/stages/sample/is-memorising.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { createRandom } from '../../../../core/model/random.ts'
import { rowsOf } from '../rows/given-rows.ts'

const INPUT: Expr = { op: 'input' }
const literal = (value: Json): Expr => ({ op: 'literal', value })
const holds = (text: string): Expr => ({ op: 'contains', text: INPUT, pattern: { kind: 'literal', text } })
const program = (body: Expr): Program => ({ language: LANGUAGE, body })

/** Sentences of a script without spaces, each with a piece of its own. */
const ORDERS = [
  '我的订单还没有到',
  '请把钱退给我吧',
  '包裹在路上坏掉了',
  '我想换一个颜色',
  '发票上的名字错了',
  '优惠码不能使用了',
]

/** A program that names a piece of each row. */
function spellOut(pieces: readonly string[], answers: readonly Json[]): Expr {
  const cases = pieces.slice(0, -1).map((piece, at) => ({ when: holds(piece), then: literal(answers[at] ?? null) }))
  return { op: 'switch', cases, else: literal(answers.at(-1) ?? null) }
}

const pieces = ORDERS.map((text) => text.slice(2, 4))
const labels = ORDERS.map((_, at) => (at % 2 === 0 ? 'a' : 'b'))
const rowsWith = (outputOf: (label: string, at: number) => Json): readonly Row[] =>
  rowsOf(ORDERS.map((text, at) => [text, outputOf(labels[at] ?? '', at)] as const))

/** Sentences and labels that have nothing to do with one another. */
function chanceRows(count: number, alphabet: string, outputOf: (label: string) => Json): readonly Row[] {
  const random = createRandom(16, 'memorising')
  const letters = alphabet.split('')
  return rowsOf(
    Array.from({ length: count }, (_, at) => {
      const text = Array.from({ length: 12 }, () => letters[random.below(letters.length)] ?? '').join('')
      return [text, outputOf((at * 7) % 5 < 2 ? 'billing' : 'support')] as const
    }),
  )
}

/** Programs of a compile that do more than give one constant. */
function programsFor(rows: readonly Row[]): number {
  const { kinds } = sampleCandidates({
    task: 'Sort the messages',
    rows,
    negatives: [],
    facts: factsOf(rows),
    k: 4,
    budgetMs: 60_000,
    workBudget: 200_000,
  })
  const recipes = kinds.find(({ kind }) => kind === 'program')?.recipes ?? []
  // One constant for every row lists none.
  return recipes.filter(({ data }) => /"op":"(?:if|switch|lookup|or)/.test(JSON.stringify(data.recipe['body']))).length
}

const HAN = '我的订单还没有到请把钱退给吧包裹在路上坏掉了想换一个颜色发票名字错优惠码不能使用'
const THAI = 'กขคงจชซญดตถทนบปผพฟมยรลวสหอ'

describe('a program that lists its rows', () => {
  it('is refused in a script without spaces', () => {
    const body = spellOut(pieces, labels)
    expect(
      isMemorising(
        program(body),
        rowsWith((label) => label),
      ),
    ).to.equal(true)
  })

  it('is refused inside objects and lists, at any depth', () => {
    const body = spellOut(pieces, labels)
    const object: Expr = {
      op: 'object',
      members: [
        { name: 'text', value: INPUT },
        { name: 'queue', value: body },
      ],
    }
    expect(
      isMemorising(
        program(object),
        rowsWith((queue, at) => ({ text: ORDERS[at] ?? '', queue })),
      ),
    ).to.equal(true)
    const list: Expr = { op: 'list', items: [INPUT, body] }
    expect(
      isMemorising(
        program(list),
        rowsWith((label, at) => [ORDERS[at] ?? '', label]),
      ),
    ).to.equal(true)
    const deep: Expr = { op: 'object', members: [{ name: 'a', value: { op: 'list', items: [object] } }] }
    const outputs = rowsWith((queue, at) => ({ a: [{ text: ORDERS[at] ?? '', queue }] }))
    expect(isMemorising(program(deep), outputs)).to.equal(true)
  })

  it('is refused when it answers with whole objects, one for each row', () => {
    const answers = labels.map((queue, at) => ({ queue, at }))
    expect(
      isMemorising(
        program(spellOut(pieces, answers)),
        rowsWith((queue, at) => ({ queue, at })),
      ),
    ).to.equal(true)
  })

  it('is refused inside a text that it makes', () => {
    const body: Expr = { op: 'concat', parts: [literal('to '), spellOut(pieces, labels)] }
    expect(
      isMemorising(
        program(body),
        rowsWith((label) => `to ${label}`),
      ),
    ).to.equal(true)
  })

  it('is not one that has a case for each label, or rows enough for each case', () => {
    const three = spellOut(pieces.slice(0, 3), ['a', 'b', 'c'])
    expect(
      isMemorising(
        program(three),
        rowsWith((_, at) => ['a', 'b', 'c'][at % 3] ?? ''),
      ),
    ).to.equal(false)
    const cases = spellOut(pieces.slice(0, 3), ['a', 'b', 'a'])
    const many = rowsOf(
      Array.from({ length: 12 }, (_, at) => [`${ORDERS[at % 6] ?? ''}${at}`, at % 2 ? 'a' : 'b'] as const),
    )
    expect(isMemorising(program(cases), many.slice(0, 6))).to.equal(true)
    expect(isMemorising(program(cases), many)).to.equal(false)
  })

  it('is not one that compares numbers of the input', () => {
    const kg: Expr = { op: 'field', of: INPUT, name: 'kg' }
    const above = (value: number): Expr => ({ op: 'ge', left: kg, right: literal(value) })
    const body: Expr = {
      op: 'switch',
      cases: [
        { when: above(30), then: literal('refused') },
        { when: above(2), then: literal('sent') },
      ],
      else: literal('refused'),
    }
    const rows = rowsOf(
      [1, 2, 3, 30, 40].map((n) => [{ kg: n, note: `Please send it by ${n} o'clock` }, 'sent'] as const),
    )
    expect(isMemorising(program(body), rows)).to.equal(false)
  })

  it('is not a table of short values, which is all that such inputs are', () => {
    const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
    const cases = days.map((key, at) => ({ key, value: at < 5 ? 'work' : 'rest' }))
    const rows = rowsOf(cases.map(({ key, value }) => [key, value] as const))
    expect(isMemorising(program({ op: 'lookup', key: INPUT, cases }), rows)).to.equal(false)
  })

  it('is not a table of a member whose keys repeat, one of them excepted', () => {
    const country: Expr = { op: 'trim', text: { op: 'field', of: INPUT, name: 'country' } }
    const cases = ['FR', 'DE', 'KE', 'JP', 'PE', 'CA'].map((key) => ({ key, value: `land of ${key}` }))
    const rows = rowsOf(
      [...cases, ...cases.slice(1), ...cases.slice(1)].map(
        ({ key, value }, at) => [{ country: key, note: `a note of some letters ${at}` }, value] as const,
      ),
    )
    expect(isMemorising(program({ op: 'lookup', key: country, cases }), rows)).to.equal(false)
    expect(isMemorising(program({ op: 'lookup', key: country, cases }), rows.slice(0, 6))).to.equal(true)
  })

  it('is refused where it spells out the answer of one row among computed ones', () => {
    const counts = [5, 8, 1, 12, 30, 7]
    const rows = rowsOf(counts.map((n) => [`a basket of ${n} apples`, n === 1 ? '1 piece' : `${n} pieces`] as const))
    const digits: Expr = { op: 'keepChars', text: INPUT, set: { classes: ['digit'] } }
    const counted: Expr = { op: 'concat', parts: [digits, literal(' pieces')] }
    const withLast = (last: Json): Program =>
      program({ op: 'if', cond: holds('of 1 '), then: literal(last), else: counted })
    expect(isMemorising(withLast('1 piece'), rows)).to.equal(true)
    const named = rows.map((row) => (row.output === '1 piece' ? { ...row, output: 'only one' } : row))
    expect(isMemorising(withLast('only one'), named)).to.equal(false)
  })

  it('is none where a number decides, though one row alone shows it', () => {
    const number: Expr = { op: 'field', of: INPUT, name: 'n' }
    const rowsFor = (counts: readonly number[], outputOf: (n: number) => string): readonly Row[] =>
      rowsOf(counts.map((n) => [{ n, name: `basket ${n}` }, outputOf(n)] as const))
    const counted = (unit: string): Expr => ({ op: 'concat', parts: [{ op: 'toText', of: number }, literal(unit)] })
    const capped = program({
      op: 'if',
      cond: { op: 'ge', left: number, right: literal(100) },
      then: literal('100 %'),
      else: counted(' %'),
    })
    const scores = rowsFor([12, 40, 73, 88, 140, 5], (n) => `${Math.min(n, 100)} %`)
    expect(isMemorising(capped, scores)).to.equal(false)
    const plural = program({
      op: 'if',
      cond: { op: 'eq', left: number, right: literal(1) },
      then: literal('1 item'),
      else: counted(' items'),
    })
    const items = rowsFor([4, 1, 9, 30, 2, 7], (n) => (n === 1 ? '1 item' : `${n} items`))
    expect(isMemorising(plural, items)).to.equal(false)
  })

  it('is not one that looks for a long word', () => {
    const body: Expr = { op: 'if', cond: holds('cancellation'), then: literal('ends'), else: literal('goes on') }
    const rows = rowsOf([
      ['my cancellation please', 'ends'],
      ['how do I pay the bill', 'goes on'],
      ['where is the nearest shop', 'goes on'],
    ])
    expect(isMemorising(program(body), rows)).to.equal(false)
  })

  it('never comes out of a compile of labels that chance gave', () => {
    for (const alphabet of [HAN, THAI]) {
      expect(programsFor(chanceRows(11, alphabet, (label) => label))).to.equal(0)
      expect(programsFor(chanceRows(11, alphabet, (queue) => ({ queue })))).to.equal(0)
      expect(programsFor(chanceRows(11, alphabet, (label) => [label]))).to.equal(0)
    }
  }).timeout(180_000)
})

describe('words of scripts without spaces', () => {
  it('are single letters with their marks, beside the words of other scripts', () => {
    expect(foldedWords('我的订单')).to.deep.equal(['我', '的', '订', '单'])
    expect(foldedWords('カタ ナー ab漢1')).to.deep.equal(['カ', 'タ', 'ナ', 'ー', 'ab', '漢', '1'])
    expect(foldedWords('ครับ')).to.deep.equal(['ค', 'รั', 'บ'])
    expect(foldedWords('한국어 단어, naïve')).to.deep.equal(['한국어', '단어', 'naïve'])
    expect(lettersOf('ab 12 漢')).to.equal(5)
  })

  it('show near-duplicates', () => {
    const text =
      '我昨天在你们的网上商店买了一台白色的洗衣机可是到今天为止还没有收到任何发货的消息请尽快帮我查询一下订单的状态'
    const other =
      '请问这个周末你们在市中心的门店几点开始营业有没有停车的地方我们一家人想过来看看新到的家具和儿童床还有台灯'
    const groups = groupNearDuplicates([text, other, `${text}好`])
    expect([...groups]).to.deep.equal([0, 1, 0])
  })
})
