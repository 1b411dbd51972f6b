import { expect } from 'chai'
import { applyRedactionMap } from '../../../../core/gateway/control/redaction/redaction-map.ts'

describe('redaction map', () => {
  it('replaces what it names by its class, at any depth and in every entry of a list', () => {
    const value = {
      prompt: 'hello',
      user: { name: 'Jane', mail: { home: 'a' } },
      rows: [{ note: 'x', n: 1 }, { n: 2 }],
      'a.b': 'kept apart',
    }
    const { value: mapped, classes } = applyRedactionMap(value, {
      'user.name': 'person',
      'user.mail': 'pii',
      'rows.note': 'free-text',
      'a.b': 'pii',
      'user.unknown.x': 'pii',
      prompt: 'not a class',
    })
    expect(mapped).to.deep.equal({
      prompt: 'hello',
      user: { name: '[person]', mail: '[pii]' },
      rows: [{ note: '[free-text]', n: 1 }, { n: 2 }],
      'a.b': '[pii]',
    })
    expect(classes).to.deep.equal(['free-text', 'person', 'pii'])
  })

  it('leaves what is no object as it is', () => {
    for (const value of ['text', 7, null, [1, 2]]) {
      expect(applyRedactionMap(value, { prompt: 'pii' })).to.deep.equal({ value, classes: [] })
    }
  })
})
