import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { groundingText } from '../../../../core/compile/documents/grounding.ts'
import { labelPrompt, labelSchema } from '../../../../core/compile/stages/teacher/labels/label-prompt.ts'
import { vote } from '../../../../core/compile/stages/teacher/labels/vote.ts'
import { strictFault } from '../../../support/providers/strict-schema.ts'
import { aSample } from './given.ts'

const samplesOf = (...answers: Json[]) => answers.map((answer, i) => aSample('label/0', i, answer))

describe('labels of a teacher', () => {
  it('are the answer on which most samples agree, by canonical JSON', () => {
    const voted = vote(
      samplesOf(
        { answer: { b: 1, a: 2 } },
        { answer: { a: 2, b: 1 } },
        { answer: 'x' },
        '```json\n{"answer":{"a":2,"b":1}}\n```',
      ),
      4,
    )
    expect(voted).to.deep.equal({
      output: { b: 1, a: 2 },
      share: 0.75,
      outcomes: ['majority', 'majority', 'minority', 'majority'],
    })
  })

  it('count what cannot be read, was declined or never came against the majority', () => {
    const samples = [
      ...samplesOf({ answer: 'yes' }, 'well, yes', { label: 'yes' }),
      aSample('label/0', 3, '', { finish: 'refusal' }),
      aSample('label/0', 4, '{"ans', { finish: 'length' }),
    ]
    expect(vote(samples, 10)).to.deep.equal({
      output: 'yes',
      share: 0.1,
      outcomes: ['majority', 'unreadable', 'unreadable', 'refused', 'cut_off'],
    })
    expect(vote([], 5)).to.deep.include({ output: null, share: 0 })
  })

  it('are asked for by a schema where strict output can say it', () => {
    const labels = labelSchema({ type: 'label', labels: ['red', 'green'] })
    expect(strictFault(labels?.schema)).to.equal(null)
    expect(JSON.stringify(labels)).to.include('["red","green"]')
    expect(labelSchema({ type: 'label', labels: ['red', null] })).to.equal(undefined)
    expect(labelSchema({ type: 'object', members: ['a'] })).to.equal(undefined)
  })

  it('are asked for with the task, the labels and some rows', () => {
    const shown = [{ id: 'r', input: 'fire engine', output: 'red' }]
    const [system, user] = labelPrompt(
      { task: 'Name the colour', output: { type: 'label', labels: ['red', 'green'] }, shown },
      { thing: 'grass' },
      groundingText([{ path: 'a.txt', text: 'Grass is "green".' }]),
    )
    expect(system?.text)
      .to.include('Name the colour')
      .and.include('"red", "green"')
      .and.include('"fire engine" -> "red"')
      .and.include('[1] "a.txt"\n"Grass is \\"green\\"."')
    expect(user?.text).to.equal('Input: {"thing":"grass"}')
  })
})
