/* For TypeScript: an import of the style sheet brings nothing but its effect. */
export {}
