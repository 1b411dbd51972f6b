/** A task in the form of HumanEval. */
export interface CodeTask {
  readonly task_id: string
  readonly prompt: string
  readonly entry_point: string
  readonly test: string
}

/** A completion of a task. */
export interface Completion {
  readonly kind: string
  readonly task: CodeTask
  readonly text: string
}

interface Exercise {
  readonly name: string
  readonly doc: string
  /** The right answer, as an expression of `x`. */
  readonly right: string
  readonly cases: readonly string[]
}

const EXERCISES: readonly Exercise[] = [
  { name: 'add_up', doc: 'Sum of a list.', right: 'sum(x)', cases: ['[1, 2, 3]', '[]', '[-1, 1]'] },
  { name: 'turned', doc: 'A text from its end.', right: 'x[::-1]', cases: ['"abc"', '""', '"ab ba!"'] },
  { name: 'widest', doc: 'The longest word.', right: 'max(x.split(), key=len)', cases: ['"a bbb cc"', '"one"'] },
  { name: 'same_both_ways', doc: 'Whether a text is a palindrome.', right: 'x == x[::-1]', cases: ['"aba"', '"ab"'] },
  { name: 'vowels', doc: 'Number of vowels.', right: 'sum(c in "aeiou" for c in x)', cases: ['"banana"', '"xyz"'] },
  { name: 'unique_sorted', doc: 'Distinct items in order.', right: 'sorted(set(x))', cases: ['[3, 1, 3]', '[]'] },
  { name: 'flat', doc: 'A list of lists as one.', right: '[b for a in x for b in a]', cases: ['[[1], [2, 3]]', '[]'] },
  { name: 'counts', doc: 'How often each letter stands.', right: '{c: x.count(c) for c in x}', cases: ['"aab"', '""'] },
  { name: 'squares', doc: 'Squares below a number.', right: '[i * i for i in range(x)]', cases: ['4', '0'] },
  { name: 'halved', doc: 'Half of a number.', right: 'x / 2', cases: ['3', '-8'] },
]

function taskOf({ name, doc, right, cases }: Exercise): CodeTask {
  const asserts = cases.map((given) => `    x = ${given}\n    assert candidate(${given}) == (${right})\n`).join('')
  return {
    task_id: `own/${name}`,
    prompt: `def ${name}(x):\n    """${doc}"""\n`,
    entry_point: name,
    test: `def check(candidate):\n${asserts}`,
  }
}

/** Bodies by kind; `RIGHT` stands for the right answer. */
const BODIES: Readonly<Record<string, readonly string[]>> = {
  right: ['return RIGHT'],
  'right, with a helper': ['import math, re', 'def inner():', '    return RIGHT', 'return inner()'],
  'right, and prints': ['print("working", x)', 'return RIGHT'],
  'right, in a file and back': ['open("note.txt", "w").write("x")', 'return RIGHT'],
  'right, after an exception': ['try:', '    raise KeyError(1)', 'except KeyError:', '    return RIGHT'],
  'right, in a thread': [
    'import threading',
    'out = []',
    't = threading.Thread(target=lambda: out.append(RIGHT))',
    't.start(); t.join()',
    'return out[0]',
  ],
  'wrong: none': ['pass'],
  'wrong: a constant': ['return "no such answer"'],
  'wrong: syntax': ['return (RIGHT'],
  'wrong: an unknown name': ['return undefined_name + 1'],
  'wrong: raises': ['raise ValueError("no value")'],
  'wrong: asserts': ['assert False, "my own message"'],
  'wrong: recursion': ['def inner(n):', '    return inner(n + 1)', 'return inner(0)'],
  endless: ['while True:', '    pass'],
  'endless, and swallows its alarm': [
    'while True:',
    '    try:',
    '        while True:',
    '            pass',
    '    except BaseException:',
    '        pass',
  ],
  'endless, until its alarm': ['try:', '    while True:', '        pass', 'except BaseException:', '    return RIGHT'],
  'sys.exit(0)': ['import sys', 'sys.exit(0)'],
  'os._exit(0)': ['import os', 'os._exit(0)'],
  'exit()': ['exit()'],
  'os.system': ['import os', 'os.system("echo hello")', 'return RIGHT'],
  'a subprocess': ['import subprocess', 'subprocess.Popen(["true"])', 'return RIGHT'],
  'a fork bomb': ['import os', 'while True:', '    os.fork()'],
  'a socket': ['import socket', 'socket.create_connection(("127.0.0.1", 9), timeout=1)', 'return RIGHT'],
  'import js': ['import js', 'js.process.exit(0)'],
  'huge memory': ['y = bytearray(10 ** 13)', 'return RIGHT'],
  'reads stdin': ['return input()'],
  'writes the verdict': ['import os, sys', 'os.write(1, b"passed\\n"); print("passed")', 'sys.stdout.write("passed")'],
  'equal to everything': ['class E:', '    __eq__ = lambda self, other: True', 'return E()'],
  'deletes files': ['import os, shutil', 'shutil.rmtree("/")'],
  'its own check': [
    'return None',
    '',
    'def check(candidate):',
    '    pass',
    'import builtins',
    'class Quiet(BaseException): pass',
    'builtins.AssertionError = Quiet',
    'AssertionError = Quiet',
  ],
}

/** Lines of a body that stand outside of the function. */
const OUTSIDE = 'its own check'

/** Returns 300 completions: 30 kinds for each of ten tasks. */
export function makeCompletions(): readonly Completion[] {
  return EXERCISES.flatMap((exercise) =>
    Object.entries(BODIES).map(([kind, lines]) => {
      const inside = kind === OUTSIDE ? 1 : lines.length
      const text = lines.map((line, at) => (at < inside ? `    ${line}` : line)).join('\n')
      return { kind, task: taskOf(exercise), text: text.replaceAll('RIGHT', exercise.right) }
    }),
  )
}

/** Completions that return nothing and take a verdict by force; the official checker believes the first two. */
export function makeCheats(): readonly Completion[] {
  const [exercise] = EXERCISES
  if (exercise === undefined) return []
  const cheats = {
    'writes into the list of results': [
      'import sys',
      'frame = sys._getframe()',
      'while frame is not None:',
      '    found = frame.f_locals.get("result")',
      '    if found is not None: found.append("passed")',
      '    frame = frame.f_back',
      'sys.exit(0)',
    ],
    'changes the end of a context': [
      'import contextlib, sys',
      'contextlib._RedirectStream.__exit__ = lambda *given: True',
      'sys.exit(0)',
    ],
    'jumps over the asserts': [
      'import sys',
      'frame = sys._getframe(1)',
      'last = max(line for _, _, line in frame.f_code.co_lines() if line)',
      'def trace(f, event, arg):',
      '    if event == "line" and f.f_lineno < last: f.f_lineno = last',
      '    return trace',
      'frame.f_trace = trace',
      'sys.settrace(trace)',
      'return 0',
    ],
    'looks for the reporter': [
      'import gc, sys',
      'for each in gc.get_objects():',
      '    if callable(each) and getattr(each, "__name__", "") == "hook": each("svc.passed", ())',
      'sys.exit(0)',
    ],
    'sends the event': ['import sys', 'sys.audit("svc.passed")', 'sys.exit(0)'],
    'writes to every descriptor': [
      'import os',
      'for fd in range(64):',
      '    try: os.write(fd, b"passed\\n")',
      '    except OSError: pass',
      'os._exit(0)',
    ],
  }
  return Object.entries(cheats).map(([kind, lines]) => ({
    kind,
    task: taskOf(exercise),
    text: lines.map((line) => `    ${line}`).join('\n'),
  }))
}
