import { expect } from 'chai'
import { compileRegex, firstGroups } from '../../../../../core/compile/language/primitives/text/regex.ts'
import { findTemplates } from '../../../../../core/compile/synthesis/lists/templates.ts'

/** The parts of another text by the first template of the shown ones. */
function split(shown: readonly (readonly string[])[], text: string): readonly string[] | undefined {
  const samples = shown.map(([first = '', ...items]) => ({ text: first, items }))
  const [template] = findTemplates(samples)
  return template === undefined ? undefined : firstGroups(text, compileRegex(template.regex))
}

describe('templates of texts', () => {
  it('part columns of fixed widths', () => {
    expect(
      split(
        [
          ['ab  c12', 'ab  ', 'c', '12'],
          ['d   e34', 'd   ', 'e', '34'],
        ],
        'xyz q56',
      ),
    ).to.deep.equal(['xyz ', 'q', '56'])
  })

  it('part at marks, whatever white space stands around them', () => {
    expect(
      split(
        [
          ['width :  3.5cm', 'width', '3.5', 'cm'],
          ['depth: 12.25mm', 'depth', '12.25', 'mm'],
        ],
        'h   :7.0m',
      ),
    ).to.deep.equal(['h', '7.0', 'm'])
  })

  it('tell parts apart by their characters', () => {
    expect(
      split(
        [
          ['Mill Lane 12', 'Mill Lane ', '12'],
          ['Oak Road 7', 'Oak Road ', '7'],
        ],
        'High Street 45 B',
      ),
    ).to.deep.equal(['High Street ', '45 B'])
  })

  it('know the shape of a part where marks repeat', () => {
    expect(
      split(
        [
          ['A; B; 2024-01-02 @ 10:00', 'A; B', '2024-01-02', '10:00'],
          ['C; 2023-11-12 @ 09:30', 'C', '2023-11-12', '09:30'],
        ],
        'D; E; F; 2022-03-04 @ 08:15',
      ),
    ).to.deep.equal(['D; E; F', '2022-03-04', '08:15'])
  })

  it('do not exist for parts that are no parts, or in another order', () => {
    expect(findTemplates([{ text: 'a b', items: ['b', 'a'] }])).to.deep.equal([])
    expect(findTemplates([{ text: 'a b', items: ['a', 'x'] }])).to.deep.equal([])
  })
})
