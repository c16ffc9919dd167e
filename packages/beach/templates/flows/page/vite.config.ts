import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    // `"use client"` of React packages is for servers that render; a page is for browsers only.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
})
