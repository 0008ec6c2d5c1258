/** Its absence means that no skills were ever put here. */
export const SKILLS_README = "skills/README.md";

/** Files of the first run by name. Never written over what is there. */
export const DEFAULT_FILES: Readonly<Record<string, string>> = {
  "AGENTS.md": `# Instructions

How the assistant works here. Change this file as you like; it is read at every message.

- Answer briefly and in plain words; name the camera and the time of what was seen.
- Show a picture when there is one.
- Before something new is watched, say what will be watched and on which camera.
- When something cannot be done, say why and what would help.
`,
  "USER.md": `# About you

The assistant reads this at every message. For example:

- Name:
- How to be addressed:
- What matters most here:
`,
  "CAMERAS.md": `# Cameras

One row for each camera. The URL is rtsp://… or http://… of a camera, webcam:0, the path of a video file,
a folder of pictures, or a simulated scene: sim://street or sim://warehouse.
Passwords in a URL stay in this file: they are shown to nobody and sent nowhere but to the camera.

| Name | URL | Location | Notes |
|------|-----|----------|-------|
| street | sim://street | Demo | Simulated scene: people and cars pass by |
| warehouse | sim://warehouse | Demo | Simulated scene: a warehouse |
`,
  "PLACES.md": `# Places

Zones and lines of the cameras that have a name, one row for each; watches speak of them. Points are fractions of the
picture's width and height from the top left corner. Seen from the first point of a line towards the second, in is to
the left; the columns In and Out may give the directions other names, such as entering and leaving.

| Camera | Name | Kind | Points | In | Out |
|--------|------|------|--------|----|-----|
| warehouse | loading zone | zone | 0.532,0.579 0.826,0.56 0.746,0.45 0.508,0.463 | | |
`,
  "HEARTBEAT.md": `# Checklist

<!--
What the assistant goes through by itself, every 15 minutes (heartbeat in config.yaml). It costs nothing while nothing
happens: a model is asked only when something happened on a real camera since the last check, or went wrong, and only
while there is a line below; headings and comments like this one do not count. You are told what is worth telling.
To have a camera looked at in any case, say so in the chat: "Look at the dock every hour and tell me if it is open."
-->

1. Does every camera give pictures?
2. Is every pipeline running?
3. Has anything unusual happened since the last check?
`,
  "memory/KNOWLEDGE.md": "# Knowledge\n\n",
  [SKILLS_README]: `# Skills

A skill is a folder with a SKILL.md: instructions that the assistant reads when a task calls for them.

    ---
    name: the-name-of-the-folder
    description: When it helps, in one sentence.
    ---
    What to do, step by step.

The folders here came with the first start. Change them, remove them, add your own.
`,
};

/** Folders of the first run. */
export const DEFAULT_FOLDERS: readonly string[] = [
  "skills",
  "memory",
  "sessions",
  "artifacts",
  "events",
  "trace",
  ".index",
];
