import { expect } from 'chai'
import { canonicalJson, type Json } from '../../../../core/kernel/json/json.ts'
import { OPERATORS } from '../../../../core/compile/language/operators/table.ts'
import { programPrompt, repairPrompt } from '../../../../core/compile/stages/teacher/programs/program-prompt.ts'
import { GRAMMAR } from '../../../../core/compile/stages/teacher/programs/grammar.ts'
import { readProgram } from '../../../../core/compile/stages/teacher/programs/read-program.ts'
import { fromWire, PROGRAM_OUTPUT } from '../../../../core/compile/stages/teacher/programs/wire-schema.ts'
import { strictFault } from '../../../support/providers/strict-schema.ts'
import { cityRows, tableProgram } from './given.ts'

const UPPER: Json = { language: 'svc-recipe-1', body: { op: 'upper', text: { op: 'input' } } }

describe('programs of a teacher', () => {
  it('are asked for with every operator of the language, in a few thousand tokens', () => {
    for (const op of Object.keys(OPERATORS)) expect(GRAMMAR).to.match(new RegExp(`^${op} \\{`, 'm'))
    expect(GRAMMAR.length).to.be.below(20_000)
  })

  it('are asked for by a schema that strict structured output takes', () => {
    expect(strictFault(PROGRAM_OUTPUT.schema)).to.equal(null)
  })

  it('may write null for what they leave out, as strict output makes them do', () => {
    const written: Json = {
      language: 'svc-recipe-1',
      body: {
        op: 'lookup',
        key: { op: 'trim', text: { op: 'input' }, side: null, set: null },
        cases: [{ key: 'a', value: null }],
        ignoreCase: null,
        default: null,
      },
    }
    expect(fromWire(written)).to.deep.equal({
      language: 'svc-recipe-1',
      body: {
        op: 'lookup',
        key: { op: 'trim', text: { op: 'input' } },
        cases: [{ key: 'a', value: null }],
      },
    })
  })

  it('are read from whatever stands around them', () => {
    const text = canonicalJson(UPPER)
    for (const answer of [text, `Here it is:\n\`\`\`json\n${text}\n\`\`\`\nDone.`, `Sure! ${text} Good luck.`]) {
      expect(readProgram(answer)).to.deep.equal({ kind: 'program', recipe: UPPER })
    }
    expect(readProgram('{"op":"upper","text":{"op":"input"}}')).to.deep.equal({ kind: 'program', recipe: UPPER })
  })

  it('name their faults for a repair', () => {
    expect(readProgram('I cannot do that')).to.include({ kind: 'unreadable' })
    expect(readProgram('')).to.deep.equal({ kind: 'unreadable', problem: 'the answer is empty' })
    const unknown = readProgram('{"language":"svc-recipe-1","body":{"op":"shout","text":{"op":"input"}}}')
    expect(unknown).to.have.property('kind', 'invalid')
    expect(unknown).to.have.property('problem').that.includes('unknown operator "shout"')
    const mistyped = readProgram('{"op":"add","left":{"op":"literal","value":"a"},"right":{"op":"literal","value":1}}')
    expect(mistyped).to.have.property('kind', 'invalid')
  })

  it('are repaired with the rows that they get wrong, and what they answered', () => {
    const rows = cityRows(6)
    const question = { id: 'program/0', samples: 1, shown: [0, 1], fit: [0, 1, 2], unseen: [3], hint: null }
    const asked = programPrompt('City to country', question, rows, '')
    expect(asked.at(-1)?.text).to.include('"Paris" -> "FR"').and.to.not.include('Berlin')
    const wrong = rows[2]
    if (wrong === undefined) throw new Error('no row')
    const repair = repairPrompt(asked, canonicalJson(tableProgram([['Paris', 'FR']])), {
      kind: 'wrong',
      rows: [{ row: wrong, got: null, failed: true }],
      right: 2,
      total: 3,
    })
    expect(repair.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user'])
    expect(repair.at(-1)?.text)
      .to.include('right on 2 of 3')
      .and.to.include('"Nice" -> "FR" (the program gives no answer)')
  })
})
