/** @typedef {'compile' | 'data' | 'evaluate' | 'traffic' | 'settings'} SectionName */
/**
 * The sections of the navigation, in its order.
 *
 * @type {Readonly<Record<SectionName, string>>}
 */
export const SECTIONS = {
  compile: 'Compile',
  data: 'Data',
  evaluate: 'Evaluate',
  traffic: 'Traffic',
  settings: 'Settings',
}

/**
 * @typedef {object} Page
 * @property {string} title
 * @property {string} [within] the page of the navigation that this one belongs to
 * @property {SectionName} [section] the section of the navigation that lists it; absent for a page within another
 * @property {true} [isOfOne] about one thing, which its argument names: another argument is another page
 * @property {string} scope what one must be allowed to do for the page to be offered
 * @property {() => Promise<import('preact').ComponentType<{}>>} load
 */
/**
 * Properties of a page for people who are not signed in.
 *
 * @typedef {object} EntryCall
 * @property {string} argument what the link of the mail brought
 * @property {string | undefined} notice why a person whose session ended sees this page
 * @property {import('../session.js').Door['ways'] | undefined} ways the configured ways to sign in; undefined on the page
 *   of a mailed link
 * @property {(path?: string) => void} onSignedIn continues to a path of this page, or to the one that was asked for
 */
/** @typedef {{ title: string, load: () => Promise<import('preact').ComponentType<EntryCall>> }} EntryPage */

/**
 * The pages by their names in addresses. Each section lists its pages in this order. A page is loaded when it is first
 * shown.
 *
 * @type {Readonly<Record<string, Page>>}
 */
export const PAGES = {
  jobs: {
    title: 'Jobs',
    section: 'compile',
    scope: 'compile:read',
    load: async () => (await import('./jobs/jobs.js')).JobsPage,
  },
  compile: {
    title: 'New compile',
    within: 'jobs',
    scope: 'compile:write',
    load: async () => (await import('./compile/compile.js')).CompilePage,
  },
  again: {
    title: 'Compile again',
    within: 'jobs',
    isOfOne: true,
    scope: 'compile:write',
    load: async () => (await import('./again/again.js')).AgainPage,
  },
  job: {
    title: 'Job',
    within: 'jobs',
    isOfOne: true,
    scope: 'compile:read',
    load: async () => (await import('./jobs/job.js')).JobPage,
  },
  artifacts: {
    title: 'Artifacts',
    section: 'compile',
    scope: 'artifacts:read',
    load: async () => (await import('./artifacts/artifacts.js')).ArtifactsPage,
  },
  artifact: {
    title: 'Artifact',
    within: 'artifacts',
    isOfOne: true,
    scope: 'artifacts:read',
    load: async () => (await import('./artifacts/artifact.js')).ArtifactPage,
  },
  diff: {
    title: 'Compare artifacts',
    within: 'artifacts',
    isOfOne: true,
    scope: 'artifacts:read',
    load: async () => (await import('./diff/diff.js')).DiffPage,
  },
  cloud: {
    title: 'Cloud jobs',
    section: 'compile',
    scope: 'cloud:read',
    load: async () => (await import('./jobs/distill/cloud-jobs.js')).CloudJobsPage,
  },
  datasets: {
    title: 'Datasets',
    section: 'data',
    scope: 'datasets:read',
    load: async () => (await import('./datasets/datasets.js')).DatasetsPage,
  },
  dataset: {
    title: 'Dataset',
    within: 'datasets',
    isOfOne: true,
    scope: 'datasets:read',
    load: async () => (await import('./datasets/dataset.js')).DatasetPage,
  },
  documents: {
    title: 'Documents',
    section: 'data',
    scope: 'documents:read',
    load: async () => (await import('./documents/documents.js')).DocumentsPage,
  },
  evals: {
    title: 'Evaluations',
    section: 'evaluate',
    scope: 'eval:read',
    load: async () => (await import('./evals/evals.js')).EvalsPage,
  },
  evaluation: {
    title: 'Evaluation',
    within: 'evals',
    isOfOne: true,
    scope: 'eval:read',
    load: async () => (await import('./evals/evaluation.js')).EvaluationPage,
  },
  bakeoffs: {
    title: 'Bake-offs',
    section: 'evaluate',
    scope: 'eval:read',
    load: async () => (await import('./evals/bakeoffs.js')).BakeoffsPage,
  },
  bakeoff: {
    title: 'Bake-off',
    within: 'bakeoffs',
    isOfOne: true,
    scope: 'eval:read',
    load: async () => (await import('./evals/bakeoff.js')).BakeoffPage,
  },
  gates: {
    title: 'Gates',
    section: 'evaluate',
    scope: 'eval:read',
    load: async () => (await import('./evals/gates.js')).GatesPage,
  },
  gate: {
    title: 'Gate',
    within: 'gates',
    isOfOne: true,
    scope: 'eval:read',
    load: async () => (await import('./evals/gate.js')).GatePage,
  },
  holdouts: {
    title: 'Holdouts',
    section: 'evaluate',
    scope: 'eval:read',
    load: async () => (await import('./evals/holdouts.js')).HoldoutsPage,
  },
  gateway: {
    title: 'Gateway',
    section: 'traffic',
    scope: 'capture:read',
    load: async () => (await import('./gateway/gateway.js')).GatewayPage,
  },
  distillations: {
    title: 'Distillation',
    section: 'traffic',
    scope: 'distill:read',
    load: async () => (await import('./jobs/distill/runs.js')).RunsPage,
  },
  distillation: {
    title: 'Distillation run',
    within: 'distillations',
    isOfOne: true,
    scope: 'distill:read',
    load: async () => (await import('./jobs/distill/run.js')).RunPage,
  },
  account: {
    title: 'Account',
    section: 'settings',
    scope: 'account:read',
    load: async () => (await import('./account/account.js')).AccountPage,
  },
  sessions: {
    title: 'Sessions',
    within: 'account',
    scope: 'account:read',
    load: async () => (await import('./account/sessions.js')).SessionsPage,
  },
  people: {
    title: 'People',
    section: 'settings',
    scope: 'team:read',
    load: async () => (await import('./people/people.js')).PeoplePage,
  },
  team: {
    title: 'Team',
    within: 'people',
    isOfOne: true,
    scope: 'team:read',
    load: async () => (await import('./people/team.js')).TeamPage,
  },
  keys: {
    title: 'Keys',
    section: 'settings',
    scope: 'account:keys:read',
    load: async () => (await import('./keys/keys.js')).KeysPage,
  },
  usage: {
    title: 'Usage',
    section: 'settings',
    scope: 'billing:read',
    load: async () => (await import('./account/usage.js')).UsagePage,
  },
  billing: {
    title: 'Billing',
    section: 'settings',
    scope: 'billing:read',
    load: async () => (await import('./billing/billing.js')).BillingPage,
  },
  audit: {
    title: 'Audit log',
    section: 'settings',
    scope: 'audit:read',
    load: async () => (await import('./account/audit.js')).AuditPage,
  },
}

/** @type {EntryPage} */
export const FRONT = {
  title: 'Show a few rows, fill in the rest',
  load: async () => (await import('./entry/front.js')).FrontPage,
}

/** @type {EntryPage} */
export const SIGN_IN = { title: 'Sign in', load: async () => (await import('./entry/sign-in.js')).SignInPage }

/**
 * The pages of mailed links.
 *
 * @type {Readonly<Record<string, EntryPage>>}
 */
export const LINKS = {
  confirm: { title: 'Confirm it is you', load: async () => (await import('./entry/confirm.js')).ConfirmPage },
  invitation: { title: 'Invitation', load: async () => (await import('./entry/invitation.js')).InvitationPage },
}
