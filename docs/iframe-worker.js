// Browsers start no worker from the disk. There the script of the search runs in a hidden frame of the page instead,
// with the two functions by which a worker and its page speak to each other.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><body></body>";
      frame.onload = () => this.start(frame.contentWindow, url);
      document.body.append(frame);
    }

    start(inside, url) {
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        this.inside = inside;
        this.waiting.forEach((data) => this.postMessage(data));
      };
      inside.document.body.append(script);
    }

    postMessage(data) {
      if (!this.inside) {
        this.waiting.push(data);
        return;
      }
      const event = new this.inside.MessageEvent("message", { data });
      setTimeout(() => this.inside.dispatchEvent(event));
    }
  };
}
