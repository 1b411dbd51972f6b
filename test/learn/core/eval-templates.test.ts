import { expect } from 'chai'
import { parseTemplate } from '../../../core/learn/evals/prompts/template.ts'

const ROW = {
  s: '  Héllo wORLD, hello  ',
  t: 'a,b,,c',
  l: ['x', 'y', 'x', 3],
  d: { a: 1, b: 'two' },
  n: -7,
  f: 2.5,
  e: '',
  m: 'line1\nline2\r\nline3',
  z: [3, 1, 2],
  ld: [
    { k: 'b', v: 2 },
    { k: 'a', v: 1 },
  ],
  tt: true,
  nn: null,
  g: '😀ab😀c',
  h: '😀(abc)',
  u: ['\u00A0', '\u200B', '\u001B', 'é\t'],
  x: 'abc',
}

/** Expressions with what Jinja 3.1 in Python writes for them. */
const WRITTEN = [
  ['s.strip()', 'Héllo wORLD, hello'],
  ['s.lstrip()', 'Héllo wORLD, hello  '],
  ['s.rstrip()', '  Héllo wORLD, hello'],
  ['s.title()', '  Héllo World, Hello  '],
  ['s.capitalize()', '  héllo world, hello  '],
  ['s.swapcase()', '  hÉLLO World, HELLO  '],
  ["t.split(',')", "['a', 'b', '', 'c']"],
  ["t.split(',',1)", "['a', 'b,,c']"],
  ["t.rsplit(',',1)", "['a,b,', 'c']"],
  ['t.split()', "['a,b,,c']"],
  ['s.split()', "['Héllo', 'wORLD,', 'hello']"],
  ["s.split('l')", "['  Hé', '', 'o wORLD, he', '', 'o  ']"],
  ["t.find('b')", '2'],
  ["t.find('q')", '-1'],
  ["t.rfind(',')", '4'],
  ["t.index('b')", '2'],
  ["t.count(',')", '3'],
  ["t.startswith('a')", 'True'],
  ["t.endswith('c')", 'True'],
  ["t.startswith(('a','b'))", 'True'],
  ["t.strip('ac')", ',b,,'],
  ["t.lstrip('a')", ',b,,c'],
  ["t.rstrip('c')", 'a,b,,'],
  ['m.splitlines()', "['line1', 'line2', 'line3']"],
  ["','.join(l[:2])", 'x,y'],
  ["t.removeprefix('a,')", 'b,,c'],
  ["t.removesuffix('c')", 'a,b,,'],
  ['t.isdigit()', 'False'],
  ["'12'.isdigit()", 'True'],
  ["'ab'.isalpha()", 'True'],
  ["'a1'.isalnum()", 'True'],
  ["'AB'.isupper()", 'True'],
  ["'ab'.islower()", 'True'],
  ["' '.isspace()", 'True'],
  ["'7'.zfill(3)", '007'],
  ["'7'.ljust(3)", '7  '],
  ["'7'.rjust(3)", '  7'],
  ["'7'.center(5)", '  7  '],
  ["'{}-{}'.format(1,'x')", '1-x'],
  ["'{a}'.format(a=3)", '3'],
  ["'{0}{1:.2f}'.format('q',2.345)", 'q2.35'],
  ["l.index('y')", '1'],
  ["l.count('x')", '2'],
  ["d.get('a')", '1'],
  ["d.get('q')", 'None'],
  ["d.get('q','z')", 'z'],
  ["d['a']", '1'],
  ['d.b', 'two'],
  ['d.keys()|list', "['a', 'b']"],
  ['d.values()|list', "[1, 'two']"],
  ['s|title', '  Héllo World, Hello  '],
  ['s|capitalize', '  héllo world, hello  '],
  ["l|join('-')", 'x-y-x-3'],
  ['z|sum', '6'],
  ['z|max', '3'],
  ['z|min', '1'],
  ['l|unique|list', "['x', 'y', 3]"],
  ['f|string', '2.5'],
  ["e|default('x')", ''],
  ["q|default('x')", 'x'],
  ["e|default('x',true)", 'x'],
  ["'a'~1", 'a1'],
  ['1~2', '12'],
  ['3//2', '1'],
  ['7/2', '3.5'],
  ['7%3', '1'],
  ['2**3', '8'],
  ['-7//2', '-4'],
  ['1/3', '0.3333333333333333'],
  ['10/5', '2.0'],
  ['0.1+0.2', '0.30000000000000004'],
  ['l+z', "['x', 'y', 'x', 3, 3, 1, 2]"],
  ['tt and nn', 'None'],
  ['nn is none', 'True'],
  ['d is mapping', 'True'],
  ['l is iterable', 'True'],
  ['t is string', 'True'],
  ['n is number', 'True'],
  ['q is defined', 'False'],
  ['3 is odd', 'True'],
  ['4 is even', 'True'],
  ['range(3)|list', '[0, 1, 2]'],
  ['range(1,7,2)|list', '[1, 3, 5]'],
  ["'a' < 'b'", 'True'],
  ['1 == 1.0', 'True'],
  ['[1,2] == [1,2]', 'True'],
  ['(1,2)', '(1, 2)'],
  ["[1,'x',none,true,2.5]", "[1, 'x', None, True, 2.5]"],
  ['"it\'s"', "it's"],
  ['["it\'s"]', '["it\'s"]'],
  ["'%s and %d' % ('x',3)", 'x and 3'],
  ["'%.2f' % 2.345", '2.35'],
  ["'%05d'|format(42)", '00042'],
  ['"%s"|format(\'z\')', 'z'],
  ["['a','b'].index('b')", '1'],
  ["t.split(',')[1].strip()", 'b'],
  ["t.split(',')|length", '4'],
  ['l|string', "['x', 'y', 'x', 3]"],
  ['d|string', "{'a': 1, 'b': 'two'}"],
  ['tt|string', 'True'],
  ['nn|string', 'None'],
  ["t.split(',')[-1]", 'c'],
  ['n+f', '-4.5'],
  ['n*2', '-14'],
  ['(n*2)|string', '-14'],
  ['f*2', '5.0'],
  ["s.strip().split(' ')[0]", 'Héllo'],
  ['z|list|first', '3'],
  ['t|list', "['a', ',', 'b', ',', ',', 'c']"],
  ['d|length', '2'],
  ['d|list', "['a', 'b']"],
  ['ld[0].k', 'b'],
  ["ld[0]['v']+1", '3'],
  ["'a' ~ nn ~ tt", 'aNoneTrue'],
  ["loop|default('n')", 'n'],
  ['l|count', '4'],
  ['z|sum / z|length', '2.0'],
  ['t|indent(2)', 'a,b,,c'],
  ["'A'.lower() == 'a'", 'True'],
  ['n|string|length', '2'],
  ['z == [3,1,2]', 'True'],
  ['"don\'t stop".title()', "Don'T Stop"],
  ["'1 two three'.split(' ', maxsplit=1)[1]", 'two three'],
  ["t.rsplit(',', maxsplit=1)", "['a,b,', 'c']"],
  ["'abcabc'.find('a',1)", '3'],
  ["'abcabc'.index('b',2)", '4'],
  ["'abcabc'.count('a',1)", '1'],
  ["l.index('x',1)", '2'],
  ["'abcabc'.startswith('b',1)", 'True'],
  ['m.splitlines(True)', "['line1\\n', 'line2\\r\\n', 'line3']"],
  ['m.splitlines()', "['line1', 'line2', 'line3']"],
  ["''.splitlines()", '[]'],
  ["'a\n'.splitlines()", "['a']"],
  ["d.get('zz','q')", 'q'],
  ['"don\'t stop"|title', "Don't Stop"],
  ["'3rd place'|title", '3rd Place'],
  ["'A.B'|title", 'A.b'],
  ["'A-b (c d) [e'|title", 'A-B (C D) [E'],
  ["'%s' % ['a']", "['a']"],
  ["'%s' % l", "['x', 'y', 'x', 3]"],
  ["'%s-%s' % ('a',1)", 'a-1'],
  ["'%.1f' % 0.25", '0.2'],
  ["'%.0f' % 2.5", '2'],
  ["'%.0f' % 3.5", '4'],
  ["'%5.1f%%' % 12.25", ' 12.2%'],
  ["'%.2f' % 2.675", '2.67'],
  ["'{:.3}'.format('abcdef')", 'abc'],
  ["'%d' % -0.5", '0'],
  ["'{:.2f}'.format(2)", '2.00'],
  ['[0.5,0.5]|sum', '1.0'],
  ['5.5 % 0.5', '0.0'],
  ['-7 % 3', '2'],
  ['7 % -3', '-2'],
  ["g.find('a')", '1'],
  ['g|length', '5'],
  ['g[1]', 'a'],
  ['g[-1]', 'c'],
  ["h[h.find('(')+1:h.find(')')]", 'abc'],
  ["['b','A','C','a']|max", 'C'],
  ["['b','A','C','a']|min", 'A'],
  ["{'a': s.strip(' x')}", "{'a': 'H\u00e9llo wORLD, hello'}"],
  ["{'a': x|upper, 'b': [t.index(',')]}", "{'a': 'ABC', 'b': [1]}"],
  ['u', "['\\xa0', '\\u200b', '\\x1b', '\u00e9\\t']"],
  ["'a,b'.replace(',',';',1)", 'a;b'],
  ["'abc'.replace('','-')", '-a-b-c-'],
  ["'abc'.replace('','-',2)", '-a-bc'],
  ['x.upper()', 'ABC'],
  ['x.lower()|capitalize', 'Abc'],
  ['l[0]', 'x'],
  ["d['a']", '1'],
  ['x[0]', 'a'],
  ['(1,2)[0]', '1'],
  ["t.split(',')[0]", 'a'],
  ['x is defined and x', 'abc'],
  ['missing is defined', 'False'],
  ['(2 > 1) and (3 > 2)', 'True'],
  ["'a' in x", 'True'],
  ['2 in z', 'True'],
  ['l[-1] + 1', '4'],
  ['z[1:][0]', '1'],
  ['1 if z else 2', '1'],
  ['1 if [] else 2', '2'],
  ['x.strip().split()[0][0]', 'a'],
  ["'%s' % none", 'None'],
  ["'{!r}'.format('a')", "'a'"],
  ["'{:>5}|{:<5}|{:^5}'.format('a','b','c')", '    a|b    |  c  '],
  ["'{:+d}'.format(3)", '+3'],
  ["'{:05.1f}'.format(2.25)", '002.2'],
] as const

/** Expressions that Python refuses, or that are not supported: a prompt without them would be another one. */
const REFUSED = [
  "'a' < 1",
  "l.index('q')",
  "'a'.split('')",
  "'{}'.format()",
  "'%d' % 'x'",
  'n.upper()',
  'l|sum',
  "d.get('zz', default='q')",
  "'{'.format()",
  "'{:d}'.format(2.5)",
  "missing == 'x'",
  "'y' if missing else 'n'",
  'l[9]',
  "d['q']",
  'x[7]',
  'not missing',
  'missing in z',
  '[3,1,2]|sum(start=10)',
  "'{0[a]}'.format(d)",
  '3 > 2 > 1',
]

describe('templates of tasks', () => {
  it('write what Jinja in Python writes', () => {
    for (const [expression, text] of WRITTEN) {
      expect(parseTemplate(`{{ ${expression} }}`).render(ROW), expression).to.equal(text)
    }
  })

  it('find the right option as the published tasks do', () => {
    const arc = parseTemplate('{{choices.label.index(answerKey)}}')
    const choices = { text: ['red', 'blue', 'green'], label: ['A', 'B', 'C'] }
    expect(arc.render({ choices, answerKey: 'C' })).to.equal('2')
    expect(() => arc.render({ choices, answerKey: 'D' })).to.throw('the index of a value that is not there')
    const listed = parseTemplate("{{ ['A', 'B'].index(answer.lstrip()) }}")
    expect(listed.render({ answer: ' B' })).to.equal('1')
  })

  it('read columns with letters of any script', () => {
    const template = parseTemplate(
      "{{ [Frase + ', é ' + Paráfrase.título, 質問] }}{% if Avaliación == 0 %}é{% endif %}",
    )
    const row = { Frase: 'a', Paráfrase: { título: 'ñ' }, 質問: '"', Avaliación: 0 }
    expect(template.render(row)).to.equal(`['a, é ñ', '"']é`)
  })

  it('leave texts, comments and what stands outside of tags as they are', () => {
    expect(parseTemplate('{# use {{ like #}Überschrift: {{ x }}').render(ROW)).to.equal('Überschrift: abc')
    expect(parseTemplate("{{ {'a': {'ü': 1}} }}é{{ x }}").render(ROW)).to.equal("{'a': {'ü': 1}}éabc")
    expect(parseTemplate('{{ svc_x0041_ }}').render({ svc_x0041_: 1 })).to.equal('1')
    expect(() => parseTemplate('{% if missing %}a{% endif %}').render(ROW)).to.throw('"missing", which is not there')
  })

  it('parse a hostile template in time that grows with its length', () => {
    for (const template of [`{{ ${'"\\'.repeat(50_000)} }}`, '{{'.repeat(50_000)]) {
      const before = process.threadCpuUsage()
      expect(() => parseTemplate(template)).to.throw(Error)
      expect(process.threadCpuUsage(before).user).to.be.below(500_000)
    }
  })

  it('refuse what Python refuses, and widths beyond reason', () => {
    for (const expression of REFUSED) {
      expect(() => parseTemplate(`{{ ${expression} }}`).render(ROW), expression).to.throw(Error)
    }
    for (const expression of ["'a'.rjust(10**9)", "'{:>99999999}'.format(1)", "'%99999999s' % 1"]) {
      expect(() => parseTemplate(`{{ ${expression} }}`).render(ROW), expression).to.throw('a width above 10000')
    }
  })
})
