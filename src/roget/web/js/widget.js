// The widget for notebooks: the whole page in a sandboxed iframe.

/** Return whether the theme of JupyterLab or VS Code is dark; null if unknown. */
function darkness() {
  const light = document.body.dataset.jpThemeLight;
  if (light) return light === "false";
  if (document.body.classList.contains("vscode-dark")) return true;
  if (document.body.classList.contains("vscode-light")) return false;
  return null;
}

/** @param {{model: {get: (name: string) => any, on: Function, off: Function}, el: HTMLElement}} view */
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "width: 100%; border: 0; display: block";
  const dark = darkness();
  if (dark !== null) frame.style.colorScheme = dark ? "dark" : "light";
  const fill = () => {
    frame.srcdoc = model.get("html");
  };
  const fit = () => {
    frame.style.height = `${model.get("height")}px`;
    frame.title = model.get("title");
  };
  model.on("change:html", fill);
  model.on("change:height", fit);
  fill();
  fit();
  el.append(frame);
  return () => {
    model.off("change:html", fill);
    model.off("change:height", fit);
  };
}

export default { render };
