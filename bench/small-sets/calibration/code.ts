import { between, drawnTask, oneOf, someOf, type DrawnTask } from '../drawn-task.ts'

const WORDS = [
  'user',
  'order',
  'price',
  'total',
  'count',
  'start',
  'index',
  'label',
  'queue',
  'token',
  'cache',
  'width',
]
const TYPES = ['int', 'text', 'date', 'bool']

/** Lines of code and of configuration. */
export const CODE: readonly DrawnTask[] = [
  drawnTask(
    'code',
    'snake case to camel case',
    (random) => someOf(random, WORDS, between(random, 2, 3)).join('_'),
    (name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ),
  drawnTask(
    'code',
    'declaration of a column',
    (random) => ({ name: oneOf(random, WORDS), type: oneOf(random, TYPES), required: between(random, 0, 1) === 1 }),
    ({ name, type, required }) => `${name} ${type}${required ? ' not null' : ''}`,
  ),
  drawnTask(
    'code',
    'constant of a name',
    (random) => someOf(random, WORDS, 2).join(' '),
    (words) => words.toUpperCase().replaceAll(' ', '_'),
  ),
  drawnTask(
    'code',
    'file of an import',
    (random) => `import { ${oneOf(random, WORDS)} } from './${oneOf(random, WORDS)}/${oneOf(random, WORDS)}.ts'`,
    (line) => line.split("'")[1]?.split('/').at(-1) ?? '',
  ),
  drawnTask(
    'code',
    'line of a log to its level',
    (random) =>
      `${between(random, 10, 59)}:${between(random, 10, 59)} [${oneOf(random, ['INFO', 'WARN', 'ERROR', 'DEBUG'])}] ${oneOf(random, WORDS)} ${oneOf(random, ['ready', 'lost', 'retried'])}`,
    (line) => (/\[(\w+)\]/.exec(line)?.[1] ?? '').toLowerCase(),
  ),
  drawnTask(
    'code',
    'call with its arguments',
    (random) => ({ name: oneOf(random, WORDS), a: between(random, 0, 99), b: between(random, 0, 99) }),
    ({ name, a, b }) => `${name}(${a}, ${b})`,
  ),
  drawnTask(
    'code',
    'value of an assignment',
    (random) => `${oneOf(random, WORDS)} = ${between(random, -500, 5000)};`,
    (line) => Number(/= (-?\d+);/.exec(line)?.[1] ?? 0),
  ),
]
