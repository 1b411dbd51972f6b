// Runs before the modules: asks for those of the page in the address, which would be known only when the frame runs.
;(() => {
  const lists = document.getElementById('page-modules')?.textContent ?? '{}'
  /** @type {Readonly<Record<string, { first: readonly string[], further: readonly string[] }>>} */
  const pages = JSON.parse(lists)
  const [, name = ''] = /^#\/?([\w-]*)/.exec(location.hash) ?? []
  const page = Object.hasOwn(pages, name) ? name : name === '' ? 'FRONT' : 'SIGN_IN'
  const { first = [], further = [] } = pages[page] ?? {}
  const ask = (/** @type {readonly string[]} */ modules) => {
    for (const href of modules) {
      // Behind the calls that read the session, without which the page is not shown.
      const link = { rel: 'modulepreload', href, fetchPriority: 'low' }
      document.head.append(Object.assign(document.createElement('link'), link))
    }
  }
  ask(first)
  addEventListener('svc:further', () => ask(further), { once: true })
})()
