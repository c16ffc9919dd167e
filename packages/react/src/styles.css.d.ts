/* For TypeScript: an import of the style sheet brings nothing but its effect. */
// oxlint-disable-next-line unicorn/require-module-specifiers -- this makes it a module.
export {}
