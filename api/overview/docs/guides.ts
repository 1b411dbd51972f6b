/** One guide: a page whose text is a Markdown file under `docs/`. */
export interface Guide {
  /** Path of the file below `docs/`, without its ending, and of the page below `/docs/`. */
  readonly path: string
  /** One sentence for the list of guides. */
  readonly summary: string
}

/** A group of guides, in the order of reading. */
export interface GuideGroup {
  readonly title: string
  readonly guides: readonly Guide[]
}

/** The guides of the site. A Markdown file that is missing here is not served; the suite compares the two. */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: 'Start',
    guides: [
      { path: 'guides/get-started', summary: 'From a spreadsheet to a signed artifact that you run, in ten minutes.' },
      { path: 'guides/examples', summary: 'Choose rows that the compiler can learn from.' },
      { path: 'guides/k-score', summary: 'Read the figure that decides whether an artifact is signed.' },
      { path: 'guides/results', summary: 'See each row with its result, and correct a gated job.' },
    ],
  },
  {
    title: 'Compile and run',
    guides: [
      { path: 'guides/cli', summary: 'Every command of svc, its exit codes and its settings.' },
      { path: 'guides/clients', summary: 'Compile, run and verify from TypeScript and Python.' },
      { path: 'guides/files', summary: 'How spreadsheets, CSV and JSON are read.' },
      { path: 'guides/batches', summary: 'Run every row of a file.' },
      { path: 'guides/sharing', summary: 'Show an artifact to others by a link, and let them run it.' },
      { path: 'guides/exports', summary: 'Write an artifact as GGUF, ONNX, MLX or code.' },
      { path: 'versions', summary: 'The life of an artifact, its dependencies, and how two artifacts differ.' },
      { path: 'compose', summary: 'Find the concepts that a call is for, and merge their answers.' },
      { path: 'documents', summary: 'Index documents, find their parts, and ground models in them.' },
    ],
  },
  {
    title: 'Gateway',
    guides: [
      { path: 'guides/gateway', summary: 'Call the models of providers through the service.' },
      { path: 'guides/privacy', summary: 'What the gateway redacts, refuses and keeps within a budget.' },
      { path: 'guides/captures', summary: 'Store, review, export and forget captured calls.' },
      { path: 'assistant', summary: 'Ask the documentation, and keep conversations.' },
    ],
  },
  {
    title: 'Data and training',
    guides: [
      { path: 'learn/datasets', summary: 'Keep rows in versions: import, split, measure, compile and export them.' },
      { path: 'learn/adapters', summary: 'Fit an adapter, choose its base, and let a larger model help.' },
      { path: 'learn/distillation', summary: 'Turn captured calls and preferences into artifacts.' },
      { path: 'learn/on-policy', summary: 'Distil a teacher into a student on the answers of the student.' },
      { path: 'learn/cloud', summary: 'Distil on your own machines or on rented ones, and read the meter.' },
    ],
  },
  {
    title: 'Evaluate',
    guides: [
      {
        path: 'learn/evaluations',
        summary: 'Score artifacts and bases on tasks of lm-evaluation-harness, and compare them.',
      },
      { path: 'learn/benchmarks', summary: 'Run MMLU, HumanEval and MT-Bench on packs that you upload.' },
      { path: 'learn/bakeoffs', summary: 'Find the cheapest contestant that is no worse on held-out rows.' },
      { path: 'learn/gates', summary: 'Seal rows, and decide whether a candidate may replace a baseline.' },
      { path: 'learn/inference', summary: 'Measure how fast artifacts and bases answer, in a signed row.' },
    ],
  },
  {
    title: 'Account and operation',
    guides: [
      { path: 'guides/accounts', summary: 'Keys, people, sign-in, quota and the audit log.' },
      { path: 'operating', summary: 'Run the service for others: settings, the master key, payment.' },
    ],
  },
  {
    title: 'Reference',
    guides: [
      { path: 'guides/statistics', summary: 'The formulas behind intervals, flags and certificates.' },
      { path: 'figures', summary: 'Speed and accuracy of the service, as measured.' },
      { path: 'formats/svc-format', summary: 'The .svc archive, byte by byte.' },
      { path: 'formats/recipe-language', summary: 'The language of program recipes.' },
      { path: 'formats/classifier-format', summary: 'Recipe and weights of a classifier.' },
      { path: 'formats/tabular-format', summary: 'Recipe and weights of a tabular model.' },
    ],
  },
]

/** Files under `docs/` that guides link to and that are served as they are, with their media types. */
export const GUIDE_FILES: Readonly<Record<string, string>> = {
  'formats/date-names.json': 'application/json',
  'formats/units.json': 'application/json',
  'formats/vectors/recipe-language.json': 'application/json',
  'formats/vectors/recipe-language-2.json': 'application/json',
  'formats/vectors/example.svc': 'application/zip',
}
